/** Kinds without any object of which nothing in the account is anybody's. */
export const makers = ['Cluster', 'AWSCluster', 'AWSMachine'] as const;
