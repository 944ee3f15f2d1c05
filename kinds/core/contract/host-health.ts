/**
 * Conditions of a Machine by which its infrastructure provider reports on the host. They are absent
 * while there is nothing to report, so that a healthy fleet costs no writes.
 */
import type { Machine } from '../machine/schema.ts';

/** False: the provider's own checks of the host fail. */
export const hostHealthy = 'HostHealthy';
/** True: the provider is going to stop or retire the host. */
export const hostRetirementScheduled = 'HostRetirementScheduled';
/** True: the host is going to be interrupted, and comes back. */
export const hostMaintenanceScheduled = 'HostMaintenanceScheduled';
/** True: the provider takes the host away within minutes. The Machine controller sets it. */
export const hostInterrupted = 'HostInterrupted';
/** True: the provider says that an interruption is likely. The Machine controller sets it. */
export const hostAtRisk = 'HostAtRisk';
/** Those that come from polls of the provider. */
export const hostConditions: readonly string[] = [hostHealthy, hostRetirementScheduled, hostMaintenanceScheduled];

/** The provider says that the host, which had joined, has ended for good; undefined if it does not. */
export const hostEndOf = ({ status }: Machine): string | undefined => {
  const { failureReason, failureMessage } = status?.deprecated?.v1beta1 ?? {};
  return failureReason === undefined || status?.nodeRef === undefined ? undefined : (failureMessage ?? failureReason);
};

/** The part of a Machine's digest about its host. */
export type HostDigest = { hasHostReport?: true };
export const hasHostReport = ({ status }: Machine): boolean =>
  status?.conditions?.some(({ type }) => hostConditions.includes(type)) === true;
