import type { ReactNode } from "react";
/** The page, or the way in while the server asks for a key and there is no session (S-19). */
export declare function Gate({ children }: {
    readonly children: ReactNode;
}): string | number | bigint | boolean | import("react").JSX.Element | Iterable<ReactNode> | Promise<string | number | bigint | boolean | Iterable<ReactNode> | import("react").ReactElement<unknown, string | import("react").JSXElementConstructor<any>> | import("react").ReactPortal | null | undefined> | null | undefined;
/** Whose session this is, and its end. */
export declare function SessionMenu(): import("react").JSX.Element | null;
