/** What keeps an installation and its account together. */

/** Without any object of these, nothing in the account is anybody's. */
export const makers = ['Cluster', 'AWSCluster', 'AWSMachine'] as const;

export type { Sharing } from './hold.ts';
export { shareLook } from './look.ts';
export { marked } from './marked.ts';
export { installationPort } from './port.ts';
export { openPosition, type Position } from './position.ts';
