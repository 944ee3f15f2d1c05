/** What a pool asks for, from everything that it is made of; or the message of what is missing. Pure. */
import { found } from '../../../machinery/api/reconcile.ts';
import { isScaledByOthers } from '../../core/contract/pools.ts';
import type { MachinePool } from '../../core/machine-pool/index.ts';
import type { LaunchTemplateData } from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { chosenImage, describeQuestion } from '../aws-machine/image.ts';
import { securityGroupIds } from '../aws-machine/request.ts';
import { cloudProviderTag, type Owner, tagsOf } from '../engine/tags.ts';
import type { Wanted } from './group.ts';
import { imageKeyOf } from './image-key.ts';
import type { Note, NotedImage } from './note.ts';
import type { Observed } from './observe.ts';
import type { AWSMachinePool } from './schema.ts';
import { type Bootstrap, partsOf, userDataOf } from './secrets.ts';
import { type Places, placesOf } from './subnets.ts';
import { asMachineSpec, descriptionOf, notedImage, rollOf, templateData, typeOf } from './template.ts';

export interface Desired {
  data: LaunchTemplateData;
  /** Of a version of the template with this data. */
  description: string;
  roll: string;
  image: NotedImage;
  /** Secrets that hold the bootstrap data. */
  parts: number;
  places: Places;
}

/** Tags of the group, the launch template and the secrets: they prove which pool owns them. */
export const poolTags = (owner: Owner, { metadata }: AWSMachinePool): Record<string, string> =>
  tagsOf(owner, {
    name: metadata.name,
    role: 'node',
    purpose: `machine-pool/${metadata.namespace ?? ''}/${metadata.name}`,
    more: { [cloudProviderTag(owner.clusterName)]: 'owned' },
  });

/** Tags of the instances; each gets its own name from its AWSMachine. */
const instanceTags = (owner: Owner, { metadata }: AWSMachinePool): Record<string, string> =>
  tagsOf(owner, {
    name: `${owner.clusterName}-${metadata.name}`,
    role: 'node',
    more: { [cloudProviderTag(owner.clusterName)]: 'owned' },
  });

const imageOf = ({ pool, machinePool, awsCluster, note, cloudState, region }: Observed): NotedImage | string => {
  const version = found(machinePool)?.spec?.template.spec.version;
  const key = imageKeyOf(asMachineSpec(pool.spec!), found(awsCluster)?.spec ?? {}, version);
  if (note?.image?.key === key) return note.image;
  const { question, images, type } = cloudState.image ?? {};
  if (!type) return `InvalidInstanceType: instance type ${typeOf(pool.spec!)} does not exist in ${region}`;
  if (question === undefined || question === 'needs a version')
    return 'no image: set awsLaunchTemplate.ami.id, or spec.template.spec.version of the MachinePool to look one up';
  if (question === 'needs an architecture') return `the architecture of ${typeOf(pool.spec!)} is not known`;
  const image = chosenImage(images ?? []);
  return image
    ? notedImage(key, image)
    : `InvalidAMIID.NotFound: ${describeQuestion(question)} was not found in ${region}: set ami.id, or imageLookupFormat, imageLookupOrg and imageLookupBaseOS of awsLaunchTemplate`;
};

const withoutRole =
  'spec.awsLaunchTemplate.iamInstanceProfile is not set: without a role no instance can read what it boots with';

/** Why there is no template, or no group. */
export interface Lack {
  of: 'template' | 'group';
  missing: string;
}
const lack = (missing: string): Lack => ({ of: 'template', missing });

export const desired = (
  observed: Observed,
  awsCluster: AWSCluster,
  machinePool: MachinePool,
  note: Note,
  owner: Owner,
  bootstrap: Bootstrap,
): Desired | Lack => {
  const { pool, cloudState } = observed;
  const spec = pool.spec!;
  if (spec.ignition) return lack('spec.ignition is not acted on: leave it out and use cloud-config');
  if (!spec.awsLaunchTemplate.iamInstanceProfile) return lack(withoutRole);
  const { failureDomains = [], template } = machinePool.spec!;
  const places = placesOf(spec, awsCluster, failureDomains, cloudState.filteredSubnets);
  if (typeof places === 'string') return { of: 'group', missing: places };
  const groups = securityGroupIds({}, awsCluster, false, cloudState.securityGroups);
  if ('missing' in groups) return lack(groups.missing);
  const image = imageOf(observed);
  if (typeof image === 'string') return lack(image);
  const tags = instanceTags(owner, pool);
  const data = templateData({ spec, awsCluster, image, groups: groups.ids, tags, ipv6: places.ipv6 });
  if (typeof data === 'string') return lack(data);
  const parts = partsOf(bootstrap, note.secrets.prefix);
  const userData = userDataOf(note, parts);
  const roll = rollOf(data, template.spec.bootstrap.dataSecretName ?? '');
  return {
    data: { ...data, UserData: userData },
    description: descriptionOf(roll, userData),
    roll,
    image,
    parts,
    places,
  };
};

export const wantedGroup = (
  { pool, name }: Observed,
  machinePool: MachinePool,
  owner: Owner,
  subnets: readonly string[],
  launchTemplateId: string,
): Wanted => ({
  name,
  spec: pool.spec!,
  launchTemplateId,
  subnets,
  replicas: machinePool.spec?.replicas ?? 1,
  isScaledByOthers: isScaledByOthers(machinePool),
  tags: poolTags(owner, pool),
});
