/**
 * Picks the failure domain to add a Machine to or delete one from, to keep the control plane
 * spread. Pure.
 */
import type { Cluster } from '../../core/cluster/schema.ts';
import { byAge, isGoing, isUpToDate, type Member } from './control-plane.ts';

const domainsOf = ({ status }: Cluster): string[] =>
  (status?.failureDomains ?? []).filter(({ controlPlane }) => controlPlane === true).map(({ name }) => name);
const domainOf = ({ machine }: Member): string | undefined => machine.spec?.failureDomain;

/**
 * The domain with the fewest up-to-date Machines, then the fewest Machines; undefined if the
 * cluster has no domains.
 */
export const domainForNew = (cluster: Cluster, members: Member[]): string | undefined => {
  const count = (domain: string, of: (member: Member) => boolean) =>
    members.filter((member) => domainOf(member) === domain && of(member)).length;
  const counts = domainsOf(cluster).map((domain) => ({
    domain,
    staying: count(domain, (member) => isUpToDate(member) && !isGoing(member)),
    all: count(domain, () => true),
  }));
  return counts.sort((a, b) => a.staying - b.staying || a.all - b.all || (a.domain < b.domain ? -1 : 1))[0]?.domain;
};

/**
 * The oldest eligible Machine outside any known domain, else of the domain with the most eligible,
 * then the most Machines.
 */
export const machineToTake = (cluster: Cluster, members: Member[], eligible: Member[]): Member | undefined => {
  const domains = domainsOf(cluster);
  const oldest = (of: Member[]) => of.toSorted(byAge)[0];
  const misplaced = eligible.filter((member) => !domains.includes(domainOf(member) ?? ''));
  if (misplaced.length > 0) return oldest(misplaced);
  const counts = domains
    .map((domain) => ({
      eligible: eligible.filter((member) => domainOf(member) === domain),
      all: members.filter((member) => domainOf(member) === domain).length,
    }))
    .filter((entry) => entry.eligible.length > 0);
  const [fullest] = counts.sort((a, b) => b.eligible.length - a.eligible.length || b.all - a.all);
  return fullest && oldest(fullest.eligible);
};
