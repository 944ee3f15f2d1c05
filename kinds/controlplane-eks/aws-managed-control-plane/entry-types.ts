/** The type of an access entry for whoever is no node. */
export const standard = 'standard';
