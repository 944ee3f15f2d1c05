/**
 * Checks before anything costs money whether the cluster, as its objects describe it, can be built
 * in this account. Pure checks over facts that were read; each finding names the field to change.
 */

import type { Preflight } from '../../core/contract/infrastructure.ts';
import { judgeAddressRanges } from './address-ranges.ts';
import { judgeAdmission } from './admission.ts';
import { judgeApiPorts } from './api-ports.ts';
import { judgeCertificates } from './certificates.ts';
import { judgeClusterNetwork, judgeComponents } from './components.ts';
import type { PreflightFacts } from './facts.ts';
import type { Finding } from './finding.ts';
import { judgeFixedAddresses } from './fixed-addresses.ts';
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
import { judgeUserData } from './user-data.ts';
import { judgeVersions } from './versions.ts';
import { judgeVolumes } from './volumes.ts';

export type { PreflightFacts } from './facts.ts';
export { observePreflight, observeReplacementPreflight } from './observe.ts';

type Check = (facts: PreflightFacts) => Finding[];

const ofMachines: Readonly<Record<string, Check>> = {
  PlacementRefused: judgePlaces,
  AddressPoolRefused: judgeFixedAddresses,
  InstanceTypeRefused: judgeInstanceTypes,
  ImageRefused: judgeImages,
  InstanceProfileRefused: judgeInstanceProfiles,
  BootDataRefused: judgeBootData,
  UserDataRefused: judgeUserData,
  SourceRefused: judgeSources,
  KeyPairRefused: judgeKeyPairs,
  MetadataRefused: judgeMetadata,
  LaunchOptionsRefused: judgeLaunchOptions,
  VolumesRefused: judgeVolumes,
  FlagRefused: judgeComponents,
};

/** By the code of its findings. */
const checks: Readonly<Record<string, Check>> = {
  RegionRefused: judgeRegion,
  IdentityRefused: judgeAdmission,
  VersionRefused: judgeVersions,
  FieldNotServed: judgeUnserved,
  PortsRefused: judgeApiPorts,
  AddressRangesRefused: judgeAddressRanges,
  KubeadmRefused: judgeClusterNetwork,
  NetworkRefused: judgeNetwork,
  LayoutRefused: judgeLayout,
  ...ofMachines,
  TagsRefused: judgeTags,
  QuotaExceeded: judgeQuotas,
  LoadBalancerRefused: judgeLoadBalancers,
  HealthCheckRefused: judgeHealthChecks,
  CertificateRefused: judgeCertificates,
};

const findingsOf = (facts: PreflightFacts, by: Readonly<Record<string, Check>>): Finding[] =>
  Object.entries(by).flatMap(([code, check]) => check(facts).map((finding) => ({ code, ...finding })));

export const judgePreflight = (facts: PreflightFacts): Preflight => judgementOf(findingsOf(facts, checks));

/** Checks the machines that `owners` replace, which run beside the old ones as far as they surge. */
export const judgeReplacement = (facts: PreflightFacts, owners: readonly string[]): Preflight => {
  const replaced = facts.machines.filter(({ by }) => owners.includes(by));
  const surging = replaced.map((planned) => ({ ...planned, count: planned.surge ?? 0 }));
  return judgementOf([
    ...findingsOf({ ...facts, machines: replaced }, ofMachines),
    ...findingsOf({ ...facts, machines: [...facts.machines, ...surging] }, { QuotaExceeded: judgeVcpus }),
    ...findingsOf({ ...facts, machines: replaced }, { HealthCheckRefused: judgeHealthChecks }),
  ]);
};

/** A certain problem outweighs an unknown fact. */
export const judgementOf = (findings: readonly Finding[]): Preflight => {
  const refusals = findings.flatMap((one) => ('refused' in one ? [{ ...one, message: one.refused }] : []));
  const absences = findings.flatMap((one) => ('absent' in one ? [{ ...one, message: one.absent }] : []));
  // Machines that share a template share its faults.
  const found = [...new Map([...refusals, ...absences].map((one) => [`${one.code} ${one.message}`, one])).values()];
  const waits = findings.flatMap((finding) => ('pending' in finding ? [finding.pending] : []));
  if (found.length > 0)
    return {
      verdict: refusals.length > 0 ? 'refused' : 'absent',
      message: joined(found.map(({ message }) => message)),
      findings: found.map(({ code = '', message, at }) => ({ code, message, ...(at && { at }) })),
      ...(waits.length > 0 && { waitsFor: joined(waits) }),
    };
  return waits.length > 0 ? { verdict: 'pending', message: joined(waits) } : { verdict: 'passed', message: '' };
};

const joined = (messages: string[]): string => [...new Set(messages)].join('; ');
