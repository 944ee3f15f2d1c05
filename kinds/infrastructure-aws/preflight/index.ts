/**
 * Checks before anything costs money whether the cluster, as its objects describe it, can be built
 * in this account. Pure checks over facts that were read; each finding names the field to change.
 */

import type { Preflight } from '../../core/contract/infrastructure.ts';
import { judgeAddressRanges } from './address-ranges.ts';
import { judgeAdmission } from './admission.ts';
import { judgeApiPorts } from './api-ports.ts';
import { judgeCertificates } from './certificates.ts';
import { judgeComponents } from './components.ts';
import type { PreflightFacts } from './facts.ts';
import type { Finding } from './finding.ts';
import { judgeHealthChecks } from './health-checks.ts';
import { judgeImages } from './images.ts';
import { judgeInstanceProfiles } from './instance-profiles.ts';
import { judgeInstanceTypes } from './instance-types.ts';
import { judgeKeyPairs } from './key-pairs.ts';
import { judgeLaunchOptions } from './launch-options.ts';
import { judgeLayout } from './layout.ts';
import { judgeLoadBalancers } from './load-balancers.ts';
import { judgeMetadata } from './metadata.ts';
import { judgeNetwork } from './network.ts';
import { judgePlaces } from './places.ts';
import { judgeQuotas, judgeVcpus } from './quotas.ts';
import { judgeRegion } from './region.ts';
import { judgeBootData, judgeSources } from './sources.ts';
import { judgeTags } from './tags.ts';
import { judgeUnserved } from './unserved.ts';
import { judgeVersions } from './versions.ts';
import { judgeVolumes } from './volumes.ts';

export type { PreflightFacts } from './facts.ts';
export { observePreflight, observeReplacementPreflight } from './observe.ts';

type Check = (facts: PreflightFacts) => Finding[];

const ofMachines: readonly Check[] = [
  judgePlaces,
  judgeInstanceTypes,
  judgeImages,
  judgeInstanceProfiles,
  judgeBootData,
  judgeSources,
  judgeKeyPairs,
  judgeMetadata,
  judgeLaunchOptions,
  judgeVolumes,
  judgeComponents,
];

const checks: readonly Check[] = [
  judgeRegion,
  judgeAdmission,
  judgeVersions,
  judgeUnserved,
  judgeApiPorts,
  judgeAddressRanges,
  judgeNetwork,
  judgeLayout,
  ...ofMachines,
  judgeTags,
  judgeQuotas,
  judgeLoadBalancers,
  judgeHealthChecks,
  judgeCertificates,
];

export const judgePreflight = (facts: PreflightFacts): Preflight =>
  judgementOf(checks.flatMap((check) => check(facts)));

/** Checks the machines that `owners` replace, which run beside the old ones as far as they surge. */
export const judgeReplacement = (facts: PreflightFacts, owners: readonly string[]): Preflight => {
  const replaced = facts.machines.filter(({ by }) => owners.includes(by));
  const surging = replaced.map((planned) => ({ ...planned, count: planned.surge ?? 0 }));
  return judgementOf([
    ...ofMachines.flatMap((check) => check({ ...facts, machines: replaced })),
    ...judgeVcpus({ ...facts, machines: [...facts.machines, ...surging] }),
    ...judgeHealthChecks({ ...facts, machines: replaced }),
  ]);
};

/** A certain problem outweighs an unknown fact. */
export const judgementOf = (findings: readonly Finding[]): Preflight => {
  const refusals = findings.flatMap((finding) => ('refused' in finding ? [finding.refused] : []));
  const absences = findings.flatMap((finding) => ('absent' in finding ? [finding.absent] : []));
  if (refusals.length + absences.length > 0)
    return { verdict: refusals.length > 0 ? 'refused' : 'absent', message: sentences([...refusals, ...absences]) };
  const waits = findings.flatMap((finding) => ('pending' in finding ? [finding.pending] : []));
  return waits.length > 0 ? { verdict: 'pending', message: sentences(waits) } : { verdict: 'passed', message: '' };
};

const sentences = (messages: string[]): string => [...new Set(messages)].join('; ');
