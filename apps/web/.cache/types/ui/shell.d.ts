/** Head, navigation and the page; says so while there is no connection. */
export declare function Shell(): import("react").JSX.Element;
/** Sets the document's title, so that tabs and screen readers know the page. */
export declare function Title({ text }: {
    readonly text: string;
}): import("react").JSX.Element;
export declare function NotFound(): import("react").JSX.Element;
/** A page that threw while it was drawn; the rest of the app stays usable. */
export declare function Crashed(): import("react").JSX.Element;
