/** A source file with line numbers, which findings lead to; as text (S-21). */
export declare function SourceText(props: {
    readonly text: string;
    readonly marked: ReadonlySet<number | null>;
}): import("react").JSX.Element;
