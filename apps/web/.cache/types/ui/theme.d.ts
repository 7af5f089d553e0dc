/** Light, dark, or as the system has it; kept in this browser. */
export declare function ThemeChoice(): import("react").JSX.Element;
