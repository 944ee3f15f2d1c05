/** Kubernetes versions as EKS has them: without a patch release. */

/** v1.35.2 → 1.35 */
export const minorOf = (version: string): string => version.replace(/^v/, '').split('.').slice(0, 2).join('.');
export const minorNumber = (version: string): number => Number(minorOf(version).split('.')[1]);
