/**
 * Volumes and interfaces that a launch creates besides the instance. Workloads attach volumes and
 * interfaces of their own, which the controller must not change.
 */
import type { Instance } from '../../ports/cloud/index.ts';

export const launchedVolumes = ({ BlockDeviceMappings }: Instance): string[] =>
  BlockDeviceMappings.filter(({ Ebs }) => Ebs.DeleteOnTermination).map(({ Ebs }) => Ebs.VolumeId);

export const launchedInterfaces = ({ NetworkInterfaces }: Instance): Instance['NetworkInterfaces'] =>
  NetworkInterfaces.filter(({ Attachment }) => Attachment.DeviceIndex === 0);

/**
 * Before this state describe calls may not show everything that was launched; after it nothing
 * needs to change.
 */
export const isUp = ({ State }: Instance): boolean => ['running', 'stopping', 'stopped'].includes(State.Name);
