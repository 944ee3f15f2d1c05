/**
 * What the rule packs of cdk-nag find in these stacks, and why it is as it is. A test runs the packs, and fails on what is
 * found and not explained, and on what is explained and not found.
 */
import type { Stack } from 'aws-cdk-lib';
import type { ControlPlane } from '../control-plane.ts';
import type { Monitoring } from '../monitoring/index.ts';
import { type Acknowledgement, acknowledge } from './acknowledge.ts';
import { inControlPlane } from './control-plane.ts';
import { inFront } from './front.ts';
import { inMonitoring } from './monitoring.ts';
import { wildcards } from './wildcards.ts';

/** The stacks of `cdk/stacks.ts`, which explains them by this file. */
interface Explained {
  controlPlane: ControlPlane;
  monitoring: Monitoring;
}

export const acknowledgementsOf = ({ controlPlane, monitoring }: Explained): [Stack, readonly Acknowledgement[]][] => [
  [controlPlane, [...inControlPlane, ...inFront, ...wildcards(controlPlane, controlPlane.resources)]],
  [monitoring, inMonitoring],
];

export const acknowledgeAll = (stacks: Explained): void => {
  for (const [stack, acknowledgements] of acknowledgementsOf(stacks)) acknowledge(stack, acknowledgements);
};
