/** How the service is doing (K-3). */
export declare function OverviewPage(): import("react").JSX.Element;
