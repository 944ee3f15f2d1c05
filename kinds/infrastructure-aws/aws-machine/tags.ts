/** Tags of an instance, of the resources launched with it, and of its address. */

import type { Address, Instance } from '../../ports/cloud/index.ts';
import { appliedTags, differenceOf, ec2Tagger, type TagPlan, tagPlan, tagSteps } from '../engine/additional-tags.ts';
import { isUp, launchedInterfaces, launchedVolumes } from '../engine/launched.ts';
import { pendingOf } from '../engine/step.ts';
import { additional, type Owner, tagMap } from '../engine/tags.ts';
import { launchOf } from './launch.ts';
import { machineTags } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { machineEvidence } from './secrets.ts';

/** The launch annotation records the tags of the launch. */
const appliedTo = ({ metadata }: AWSMachine, { clusterName }: Owner): Record<string, string> => {
  const launched = launchOf(metadata)?.request.TagSpecifications.find(
    ({ ResourceType }) => ResourceType === 'instance',
  );
  return appliedTags(metadata.annotations) ?? additional(tagMap(launched?.Tags ?? []), clusterName);
};

/** Plans the tags of the spec and the cluster, and the removal of those no longer asked for. */
export const planTags = (
  {
    region,
    owner,
    awsMachine,
    controlPlane,
  }: { region: string; owner: Owner; awsMachine: AWSMachine; controlPlane: boolean },
  instance: Instance,
  addresses: readonly Address[],
  now: number,
): TagPlan => {
  const before = pendingOf(awsMachine.metadata.annotations);
  const applied = appliedTo(awsMachine, owner);
  const asked = { ...owner.additionalTags, ...awsMachine.spec?.additionalTags };
  const difference = differenceOf(asked, applied, owner.clusterName);
  const wanted = machineTags(owner, awsMachine, controlPlane);
  const unmanaged = awsMachine.spec?.networkInterfaces?.length;
  const launched = [
    instance.InstanceId,
    ...launchedVolumes(instance),
    ...(unmanaged ? [] : launchedInterfaces(instance).map(({ NetworkInterfaceId }) => NetworkInterfaceId)),
  ];
  const things = [
    ...(isUp(instance) ? [{ sort: 'instance', ids: launched, there: instance.Tags }] : []),
    ...addresses.map(({ AllocationId, Tags }) => ({ sort: 'elastic-ip', ids: [AllocationId], there: Tags })),
  ];
  const steps = tagSteps(
    things.map((thing) => ({ ...thing, wanted, surplus: difference.surplus })),
    ec2Tagger(region, machineEvidence(owner, awsMachine)),
    before,
    now,
  );
  const shown = [instance, ...addresses].map(({ Tags }) => Tags);
  return tagPlan(applied, difference, { steps, shown }, before, now);
};
