/** Whether what is made can carry all its tags: AWS allows so many on one resource, the controllers' own among them. */
import { found } from '../../../machinery/api/reconcile.ts';
import { additional } from '../../aws-cluster/tags.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

const mostTags = 50;
/** Those by which controllers find and prove what they made: as many as machines and subnets get, which get the most. */
const ownTags = 8;

type Tags = Record<string, string>;

const judge = (field: string, tags: Tags, clusterName: string): Finding[] => {
  const count = Object.keys(additional(tags, clusterName)).length;
  const most = mostTags - ownTags;
  if (count <= most) return [];
  return [
    refused(
      `${field}: ${count} tags, with those of the cluster, and ${ownTags} that controllers need are more than the ${mostTags} that AWS allows on a resource: leave out ${count - most}`,
    ),
  ];
};

export const judgeTags = ({ awsCluster, given, machines, owner }: PreflightFacts): Finding[] => {
  const infrastructure = found(awsCluster);
  if (!infrastructure) return [];
  const { additionalTags: ofAll = {}, network } = given;
  const { clusterName } = owner;
  const at = `${nameOf(infrastructure)} spec`;
  const ofCluster = judge(`${at}.additionalTags`, ofAll, clusterName);
  // Everything else carries these, too.
  if (ofCluster.length > 0) return ofCluster;
  const parts: [field: string, tags: Tags | undefined][] = [
    [`${at}.network.vpc.tags`, network?.vpc?.tags],
    ...(network?.subnets ?? []).map(({ tags }, i): [string, Tags | undefined] => [
      `${at}.network.subnets[${i}].tags`,
      tags,
    ]),
    ...machines
      .filter(({ bastion }) => !bastion)
      .map(({ at: { object, path }, spec }): [string, Tags | undefined] => [
        `${object} ${path}.additionalTags`,
        found(spec)?.additionalTags,
      ]),
  ];
  return parts.flatMap(([field, tags]) => judge(field, { ...ofAll, ...tags }, clusterName));
};
