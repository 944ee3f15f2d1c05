/**
 * Why no Machine may be added or deleted now; empty if one may. Requires a healthy control plane
 * without another change under way.
 */

import { certificatesMessage, missingCertificates } from '../../bootstrap-kubeadm/kubeadm-config/certificates.ts';
import {
  type ControlPlane,
  componentTypes,
  isConditionTrue,
  isGoing,
  type Member,
  nameOf,
  nodeOf,
} from './control-plane.ts';

export interface Preflight {
  adding: boolean;
  /** The Machine to be deleted, whose health does not matter. */
  except?: Member;
}

const ills = (controlPlane: ControlPlane, member: Member): string[] => {
  if (nodeOf(member) === undefined) return [`Machine ${nameOf(member)} does not have a corresponding Node yet`];
  return componentTypes(controlPlane)
    .filter((type) => !isConditionTrue(member, type))
    .map((type) => {
      const { status = 'Unknown', message } = member.conditions.find((c) => c.type === type) ?? {};
      const what = status === 'False' ? 'is not true' : 'is unknown';
      return `Machine ${nameOf(member)}: ${type} ${what}${message ? ` (${message})` : ''}`;
    });
};

/** Why no host could be started; empty if one could. */
export const certificateProblems = ({ certificates, cluster }: ControlPlane): string[] => {
  const missing = missingCertificates(certificates);
  if (missing.length === 0) return [];
  return [
    `Control plane certificates are not available: ${certificatesMessage(cluster.metadata.name, certificates, missing)}`,
  ];
};

export const preflight = (controlPlane: ControlPlane, { adding, except }: Preflight): string[] => {
  const { members } = controlPlane;
  if (members.length === 0) return [];
  const uncertified = adding ? certificateProblems(controlPlane) : [];
  if (uncertified.length > 0) return uncertified;
  const going = members.filter(isGoing);
  if (going.length > 0) return [`Waiting for Machine ${going.map(nameOf).sort().join(', ')} to be deleted`];
  return members.filter((member) => member !== except).flatMap((member) => ills(controlPlane, member));
};
