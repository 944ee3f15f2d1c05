/**
 * Reports which certificates of the user cannot be used. The controller of the control plane inspects them: this
 * one's function acts on the account and must not read the keys of authorities.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { unusableAuthority } from '../../core/contract/cluster-secrets.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, pending, refused } from './finding.ts';

export const judgeCertificates = ({ controlPlane }: PreflightFacts): Finding[] => {
  const plane = controlPlane && found(controlPlane);
  if (!plane) return [];
  const condition = conditionOf(plane.status?.conditions, 'CertificatesAvailable');
  // Its controller writes the status again whenever one of the Secrets changes.
  if (!condition) return [pending(`Waiting for ${nameOf(plane)} to report on its certificates`)];
  return condition.reason === unusableAuthority ? (condition.message ?? '').split('; ').map((one) => refused(one)) : [];
};
