/** Who did what, when and from where (S-22); filters and the page are in the address. */
export declare function AuditPage(): import("react").JSX.Element;
