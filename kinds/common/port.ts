export const isPort = (port: number | undefined): boolean => port !== undefined && port >= 1 && port <= 65_535;

/** The message of kube-apiserver. */
export const portRule = 'must be between 1 and 65535, inclusive';
