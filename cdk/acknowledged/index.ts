/**
 * Findings of cdk-nag in these stacks, and their reasons. A test runs the packs, and fails for unexplained
 * findings and for reasons without a finding.
 */
import type { Stack } from 'aws-cdk-lib';
import type { ControlPlane } from '../control-plane.ts';
import type { Monitoring } from '../monitoring/index.ts';
import { type Acknowledgement, acknowledge } from './acknowledge.ts';
import { inControlPlane } from './control-plane.ts';
import { inFront } from './front.ts';
import { inMonitoring } from './monitoring.ts';
import { wildcards } from './wildcards.ts';

/** The stacks of `cdk/stacks.ts`, which imports this file. */
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
