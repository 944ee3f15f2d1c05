/**
 * Resources of other owners that block the deletion of a network. AWS refuses to delete a network
 * in use and does not say by what, so the message lists their ids.
 */
import type { Failure, Reader } from '../../../machinery/api/reconcile.ts';
import { asking, listed } from '../engine/ask.ts';
import { carries, evidence, type Owner } from '../engine/tags.ts';

export interface Network {
  region: string;
  vpcIds: readonly string[];
  owner: Owner;
}

/** AWS's code for a resource that another one depends on. */
export const isInUse = (failure: Pick<Failure, 'code'> | undefined): boolean => failure?.code === 'DependencyViolation';

const named = 5;

/** Each as type and id, such as `security group sg-0123`; empty while unknown. */
export const observeBlockingResources = ({ region, vpcIds, owner }: Network, read: Reader): string[] => {
  if (vpcIds.length === 0) return [];
  const cloud = asking(read, region);
  const owned = evidence(owner);
  const Filters = [{ Name: 'vpc-id', Values: [...vpcIds] }];
  const instances = (listed(cloud, 'instances', Filters) ?? []).filter(({ State }) => State.Name !== 'terminated');
  const interfaces = listed(cloud, 'networkInterfaces', Filters) ?? [];
  const groups = listed(cloud, 'securityGroups', Filters) ?? [];
  if (cloud.unread()) return [];
  const known = new Set(instances.map(({ InstanceId }) => InstanceId));
  // Sort: AWS guarantees no order.
  return [
    ...instances.filter(({ Tags }) => !carries(Tags, owned)).map(({ InstanceId }) => `EC2 instance ${InstanceId}`),
    ...interfaces
      .filter(({ TagSet, Attachment }) => !carries(TagSet, owned) && !known.has(Attachment?.InstanceId ?? ''))
      .map(({ NetworkInterfaceId }) => `network interface ${NetworkInterfaceId}`),
    // Every VPC has a group of this name, which AWS deletes with the VPC.
    ...groups
      .filter(({ Tags, GroupName }) => GroupName !== 'default' && !carries(Tags, owned))
      .map(({ GroupId }) => `security group ${GroupId}`),
  ].sort();
};

/** The first of them, and how many more there are. */
export const someOf = (names: readonly string[]): string => {
  const more = names.length > named ? ` and ${names.length - named} more` : '';
  return `${names.slice(0, named).join(', ')}${more}`;
};

/** Adds the blocking resources to the failure's message. */
export const withBlockingResources = (failure: Failure, blockingResources: readonly string[]): Failure => {
  if (!isInUse(failure) || blockingResources.length === 0) return failure;
  const list = someOf(blockingResources);
  return { ...failure, message: `${failure.message} In the way, and not Capstan's to remove: ${list}` };
};
