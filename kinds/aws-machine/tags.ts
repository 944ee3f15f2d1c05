/** The tags of an instance, and of what was launched with it. */
import {
  additional,
  additionalTags,
  appliedNote,
  appliedTags,
  ec2TagSteps,
  type TagPlan,
} from '../aws-cluster/additional-tags.ts';
import { launchedInterfaces, launchedVolumes } from '../aws-cluster/launched.ts';
import { type Owner, tagMap } from '../aws-cluster/tags.ts';
import type { Address, Instance } from '../ports/cloud.ts';
import { launchOf } from './launch.ts';
import { machineTags } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { machineEvidence } from './secrets.ts';

/** What it was launched with is noted with the launch. */
const appliedTo = ({ metadata }: AWSMachine, { clusterName }: Owner): Record<string, string> => {
  const launched = launchOf(metadata)?.request.TagSpecifications.find(
    ({ ResourceType }) => ResourceType === 'instance',
  );
  return appliedTags(metadata.annotations) ?? additional(tagMap(launched?.Tags ?? []), clusterName);
};

/** What the spec and its cluster's ask for, and the instance or its address lacks; and what they ask for no longer. */
export const planTags = (
  region: string,
  owner: Owner,
  awsMachine: AWSMachine,
  controlPlane: boolean,
  instance: Instance,
  addresses: readonly Address[],
): TagPlan => {
  const applied = appliedTo(awsMachine, owner);
  const asked = { ...owner.additionalTags, ...awsMachine.spec?.additionalTags };
  const tags = additionalTags(asked, applied, owner.clusterName);
  const brought = awsMachine.spec?.networkInterfaces?.length;
  const ids = [
    instance.InstanceId,
    ...launchedVolumes(instance),
    ...(brought ? [] : launchedInterfaces(instance).map(({ NetworkInterfaceId }) => NetworkInterfaceId)),
  ];
  const things = [
    { key: 'instance', ids, there: instance.Tags },
    ...addresses.map(({ AllocationId: id, Tags }) => ({ key: `elastic-ip/${id}`, ids: [id], there: Tags })),
  ];
  const wanted = machineTags(owner, awsMachine, controlPlane);
  const owned = machineEvidence(owner, awsMachine);
  const steps = things.flatMap(({ key, ids: alike, there }) =>
    ec2TagSteps(region, alike, owned, { key, there, wanted, surplus: tags.surplus }),
  );
  return { steps, note: (pending) => appliedNote(applied, tags, steps, pending) };
};
