/**
 * A user's decision that one operation goes on in spite of findings of its preflight: an annotation
 * of the Cluster that names the operation and the findings' codes. Pure.
 */
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Preflight } from './infrastructure.ts';
import { policyAnnotations } from './target.ts';

/**
 * These guard the quorum, the data or the authorities of the cluster, and nothing overrides them: a control
 * plane would wait for another authority, whatever its operation admits.
 */
const guards = new Set([
  'CertificateRefused',
  'ClusterNotChecked',
  'ClusterUnreachable',
  'ControlPlaneChanging',
  'ControlPlaneUnhealthy',
  'MembersAreNewer',
  'MinorSkipped',
  'RollbackLosesObjects',
  'StoredVersionNotServed',
  'VersionIsLower',
]);
export const isGuard = (code: string): boolean => code.startsWith('Etcd') || guards.has(code);

const form = /^([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?):([A-Z][A-Za-z]*(?:,[A-Z][A-Za-z]*)*)$/;

export const overrideOf = (operation: string, codes: readonly string[]): string => `${operation}:${codes.join(',')}`;

/** What is wrong with a value of the annotation. */
export const overrideFault = (value: string): string | undefined => {
  const [, , codes] = form.exec(value) ?? [];
  if (codes === undefined)
    return 'must be the name of one operation and codes of findings, such as demo-upgrade-2:FlagRemoved,FlagRefused';
  const guarding = codes.split(',').filter(isGuard);
  return guarding.length > 0
    ? `${guarding.join(', ')} guards the quorum, the data or the authorities of the cluster, and cannot be overridden`
    : undefined;
};

/** The codes that a user overrides for the operation of this name. */
export const overriddenFor = ({ metadata }: KubeObject, operation: string): readonly string[] => {
  const [, named, codes = ''] = form.exec(metadata.annotations?.[policyAnnotations.override] ?? '') ?? [];
  return named === operation ? codes.split(',').filter((code) => !isGuard(code)) : [];
};

/** A write that sets or changes the override is named in the audit log. */
export const overrideAudited = ({ metadata }: KubeObject, { old }: Admission): Record<string, string> => {
  const name = policyAnnotations.override;
  const value = metadata.annotations?.[name];
  return value === undefined || value === old?.metadata.annotations?.[name] ? {} : { [name]: value };
};

/** How to go on in spite of findings; undefined if one of them cannot be overridden. */
export const howToOverride = ({ metadata }: KubeObject, codes: readonly string[]): string | undefined =>
  codes.length === 0 || codes.some(isGuard)
    ? undefined
    : `To go on in spite of ${codes.length === 1 ? 'it' : 'them'}, once, run: capstan retry cluster ${metadata.name} -n ${metadata.namespace ?? ''} --override ${[...new Set(codes)].join(',')}`;

export const overriddenMessage = (findings: readonly string[]): string =>
  `Overridden by ${policyAnnotations.override}: ${findings.join('; ')}`;

/** The preflight without the findings that are overridden, and these. */
export const withOverrides = (
  preflight: Preflight,
  codes: readonly string[],
): { preflight: Preflight; overridden: string[] } => {
  const { findings = [], waitsFor, ...rest } = preflight;
  const left = findings.filter(({ code }) => !codes.includes(code));
  const overridden = findings
    .filter(({ code }) => codes.includes(code))
    .map(({ code, message }) => `${code}: ${message}`);
  if (overridden.length === 0) return { preflight, overridden };
  const messages = [...new Set(left.map(({ message }) => message))].join('; ');
  if (left.length > 0) return { preflight: { ...rest, findings: left, message: messages }, overridden };
  const verdict = waitsFor === undefined ? 'passed' : 'pending';
  return { preflight: { verdict, message: waitsFor ?? '' }, overridden };
};

/** The refusal of a preflight, and how to override it. */
export const refusalOf = (cluster: KubeObject, { message, findings = [] }: Preflight): string => {
  const how = howToOverride(
    cluster,
    findings.map(({ code }) => code),
  );
  return how === undefined ? message : `${message}. ${how}`;
};
