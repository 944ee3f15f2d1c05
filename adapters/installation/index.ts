/** What keeps an installation and its account together. */
export type { Sharing } from './hold.ts';
export { marked } from './marked.ts';
export { installationPort } from './port.ts';
export { openPosition, type Position } from './position.ts';
