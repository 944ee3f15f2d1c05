/** Checks that user and controller tags together stay within AWS's limit for a resource. */
import { found } from '../../../machinery/api/reconcile.ts';
import { additional } from '../engine/tags.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

const mostTags = 50;
/** The number of controller tags on machines and subnets, which get the most. */
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
  // All other resources carry these tags, too, and would repeat the finding.
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
