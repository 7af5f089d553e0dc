/** The viewer's clock in ms, once a second for all who look. */
export declare function useNow(): number;
