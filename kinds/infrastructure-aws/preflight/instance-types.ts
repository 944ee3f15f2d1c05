/** Checks that EC2 offers the instance types in their zones. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, refused, unknown } from './finding.ts';
import { placesOf } from './places.ts';

export const judgeInstanceTypes = (facts: PreflightFacts): Finding[] => {
  const { cloud, region } = facts;
  if (!cloud) return [];
  return facts.machines.flatMap((planned) => {
    const spec = found(planned.spec);
    if (!spec) return [];
    const { instanceType: type } = spec;
    const field = `${planned.at.object} ${planned.at.path}.instanceType`;
    const info = cloud.types.get(type);
    if (info?.state === 'absent')
      return [refused(`${field}: instance type ${type} does not exist in ${region}: choose one that does`)];
    const unreadable = [...unknown(`instance type ${type}`, info), ...unknown('where it is offered', cloud.offerings)];
    const offerings = found(cloud.offerings);
    if (unreadable.length > 0 || !offerings) return unreadable;
    const offered = offerings.get(type) ?? [];
    if (offered.length === 0)
      return [refused(`${field}: ${type} is not offered in any zone of ${region}: choose another`)];
    const { zones, every } = placesOf(planned, spec, facts);
    const missing = zones.filter((zone) => !offered.includes(zone));
    if (missing.length === 0 || (!every && missing.length < zones.length)) return [];
    return [
      refused(
        `${field}: ${type} is not offered in ${missing.join(', ')}, where machines of ${planned.by} will be: choose another, or keep them to ${offered.join(', ')}`,
      ),
    ];
  });
};
