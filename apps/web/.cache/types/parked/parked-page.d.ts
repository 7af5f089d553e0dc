/** The inbox of runs that wait for a person, oldest first: why, since when, and resume in place (K-4). */
export declare function ParkedPage(): import("react").JSX.Element;
