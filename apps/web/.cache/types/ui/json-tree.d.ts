/** A JSON text as a tree with search; only the rows in view are drawn, so a state of 1 MiB stays usable (K-6). */
export declare function JsonTree({ text, name }: {
    readonly text: string;
    readonly name: string;
}): import("react").JSX.Element;
