import {
  atomicList,
  type Infer,
  int32,
  intOrString,
  listMap,
  object,
  oneOf,
  required,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import { dollarPattern } from '../../common/dollars.ts';
import { conditions } from '../../common/schema.ts';
import type { FreezeReason } from '../../ports/installation.ts';
import { mostKept } from '../snapshot-schedule/schedule.ts';

const freezeReasons = ['ObjectsLost', 'ObjectsOlder', 'AccountDiffers'] as const satisfies FreezeReason[];

export const installationSpec = object('What a person wants of the installation as a whole.', {
  resume: string('The id of the freeze to lift: status.frozen.id, once you have checked its cause.'),
  maxMachines: int32(
    'How many Machines may exist in all namespaces together. Controllers create none beyond, and requests for more are refused. Unset: as many as are asked for.',
    { minimum: 0 },
  ),
  maxVCPU: int32(
    'How many virtual CPUs the clusters with pools that Capstan scales may have together. Their pools are not scaled up beyond. Unset: no limit.',
    { minimum: 0 },
  ),
  tokenKeys: object('Replaces the keys that sign tokens of ServiceAccounts before their time.', {
    replaceBefore: time('Keys from before this time sign no more. What they have signed stays valid.'),
    revokeBefore: time('What keys from before this time have signed is refused, and they sign no more.'),
  }),
  snapshotSchedule: string(
    'When etcd of clusters is saved whose Clusters have no annotation capstan.dev/snapshot-schedule: a duration such as 24h, five cron fields in UTC, or off. Unset: never.',
  ),
  snapshotKeep: int32('How many complete snapshots of that schedule are kept of each cluster. Unset: 28.', {
    minimum: 1,
    maximum: mostKept,
  }),
  maxDollarsPerHour: intOrString(
    'How many dollars an hour the pools that Capstan scales may cost together. They are not scaled up beyond. Unset: no limit.',
    { minimum: 0, pattern: dollarPattern },
  ),
});

const orphan = object('A resource whose object is gone.', {
  type: required(string("The service's own word, such as natgateway or elastic-ip.")),
  id: required(string('What the service calls it: an id, an ARN, or the name of a parameter.')),
  region: required(string('Where it is.')),
  clusterUid: string('The uid of the Cluster that it says it belongs to; absent when it does not say.'),
  machineUid: string('The uid of the AWSMachine that it was made for, when its cluster is there.'),
  installation: string('The installation that made it, when that is another one: its Cluster was moved here.'),
  name: string('Its Name tag.'),
});

const kept = object('A resource that stays until a time, whatever has become of its cluster.', {
  type: required(string("The service's own word, such as snapshot.")),
  id: required(string('What the service calls it.')),
  region: required(string('Where it is.')),
  clusterUid: string('The uid of the Cluster that it is of.'),
  name: string('Its Name tag.'),
  cluster: string('The name of that Cluster.'),
  of: string('Which disk of which host it is a copy of.'),
  since: string('When the operation was asked for that kept it.'),
  until: time('When it is deleted; absent if its tag is no time.'),
  fault: string('Why it is never deleted.'),
});

export const installationStatus = object('How the installation and its account stand to each other.', {
  conditions: conditions(),
  id: string('What every resource of this installation carries as the tag capstan.dev/installation.'),
  frozen: object('Set while nothing is done to the account, the clusters or the objects.', {
    id: required(string('What spec.resume must be to lift it.')),
    reason: required(oneOf('Why.', freezeReasons)),
    message: string('Why, and what that means.'),
    since: time('When it was first seen.'),
  }),
  lastTransitionTime: time(
    'When a search of the account last changed what is reported here; absent before the first search.',
  ),
  regions: atomicList('Every region in which something was done, or is wanted.', string('Name of a region.')),
  unreadable: atomicList('Regions that could not be looked at last.', string('Name of a region.')),
  missing: listMap(
    'Owners that resources name and that are not there. Resources of those that stay missing are orphans.',
    ['uid'],
    object('An owner that is not there.', {
      uid: required(string('The uid of a Cluster or an AWSMachine, or empty.')),
      since: required(time('When it was first missed.')),
    }),
  ),
  moved: listMap(
    'Clusters of other installations that were moved here and not taken over. Once their objects are gone, their resources are orphans.',
    ['clusterUid'],
    object('A cluster under its former owner.', {
      clusterUid: required(string('The uid of the Cluster in the tags of its resources.')),
      installation: required(string('The installation in these tags.')),
      region: required(string('Where its resources are.')),
    }),
  ),
  orphanCount: int32('How many resources have lost their object.', { minimum: 0 }),
  orphans: atomicList('The first hundred of them.', orphan),
  kept: atomicList('The first hundred copies of disks that a restore kept aside.', kept),
});

export type InstallationSpec = Infer<typeof installationSpec>;
export type InstallationStatus = Infer<typeof installationStatus>;
export type Orphan = Infer<typeof orphan>;
export type Kept = Infer<typeof kept>;
export type Moved = NonNullable<InstallationStatus['moved']>[number];
export type Missing = NonNullable<InstallationStatus['missing']>[number];
