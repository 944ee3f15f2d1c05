/**
 * What the rule packs of cdk-nag find in these stacks, and why it is as it is. A test runs the packs, and fails on what is
 * found and not explained, and on what is explained and not found.
 */
import type { Stacks } from '../stacks.ts';
import { acknowledge } from './acknowledge.ts';
import { inControlPlane } from './control-plane.ts';
import { inMonitoring } from './monitoring.ts';
import { wildcards } from './wildcards.ts';

export const acknowledgeAll = ({ controlPlane, monitoring }: Stacks): void => {
  acknowledge(controlPlane, [...inControlPlane, ...wildcards(controlPlane, controlPlane.resources)]);
  acknowledge(monitoring, inMonitoring);
};
