/** Who works here, what waits for them, and how much is stored (K-3, S-26). */
export declare function WorkersPage(): import("react").JSX.Element;
/** The head of a table. */
export declare function Heads({ names }: {
    readonly names: readonly string[];
}): import("react").JSX.Element;
