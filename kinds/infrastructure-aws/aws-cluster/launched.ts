/** What a launch makes besides the instance; workloads attach volumes and interfaces of their own, which are not ours to touch. */
import type { Instance } from '../../ports/cloud.ts';

export const launchedVolumes = ({ BlockDeviceMappings }: Instance): string[] =>
  BlockDeviceMappings.filter(({ Ebs }) => Ebs.DeleteOnTermination).map(({ Ebs }) => Ebs.VolumeId);

export const launchedInterfaces = ({ NetworkInterfaces }: Instance): Instance['NetworkInterfaces'] =>
  NetworkInterfaces.filter(({ Attachment }) => Attachment.DeviceIndex === 0);

/** Before then not all that was launched with it may be shown; after it, nothing is left to change. */
export const isUp = ({ State }: Instance): boolean => ['running', 'stopping', 'stopped'].includes(State.Name);
