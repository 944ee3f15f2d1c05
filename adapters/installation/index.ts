/** Protects an installation from acting on an account that does not match its objects. */

/** Without an object of these kinds, no resource in the account can have an owner. */
export const makers = ['Cluster', 'AWSCluster', 'AWSMachine'] as const;

export { shareSearch } from './account-search.ts';
export type { Sharing } from './hold.ts';
export { marked } from './marked.ts';
export { installationPort } from './port.ts';
export { openPosition, type Position } from './position.ts';
