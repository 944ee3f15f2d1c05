/** The Cluster that the claim belongs to exists, so that a pool may serve the claim. */
export const admitted = 'Admitted';
export const ready = 'Ready';
