/** Checks that the region exists and is enabled for the account. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

export const judgeRegion = ({ awsCluster, region, cloud }: PreflightFacts): Finding[] => {
  const infrastructure = found(awsCluster);
  if (!infrastructure) return [];
  const field = `${nameOf(infrastructure)} spec.region`;
  if (!region) return [refused(`${field}: it is not set: name a region of AWS`)];
  const regions = cloud && found(cloud.regions);
  // Without permission to list regions, the other reads show whether the region exists.
  if (!regions) return [];
  const known = regions.find(({ RegionName }) => RegionName === region);
  if (!known)
    return [
      refused(
        `${field}: AWS has no region ${region}: the field cannot be changed, so delete the cluster and create it again with one of ${regions
          .map(({ RegionName }) => RegionName)
          .sort()
          .join(', ')}`,
      ),
    ];
  return known.OptInStatus === 'not-opted-in'
    ? [refused(`${field}: the account has not enabled ${region}: enable it, or create the cluster in another region`)]
    : [];
};
