/** Every registered flow with its newest version. */
export declare function FlowsPage(): import("react").JSX.Element;
