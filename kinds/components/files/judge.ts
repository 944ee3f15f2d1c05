/** The files that the flags of a program name: whether it finds them, and takes them. Pure. */
import { type Arg, type Component, type Fault, type GivenArg, isOpen, lastValueOf } from '../fault.ts';
import { authenticationConfiguration, authorizationConfiguration } from './access.ts';
import { auditPolicy } from './audit.ts';
import { type FileType, faultsOfText, type Program } from './document.ts';
import { encryptionConfiguration, formerEncryptionConfiguration } from './encryption.ts';
import { type Found, fileIn, type Host, type Mount, missingMounts } from './host.ts';
import { faultsOfKubeconfig } from './kubeconfig.ts';
import {
  admissionConfiguration,
  egressSelectorConfiguration,
  schedulerConfiguration,
  tracingConfiguration,
} from './others.ts';

type Reader = (text: string, program: Program) => string[];

const documentOf =
  (type: FileType): Reader =>
  (text, program) =>
    faultsOfText(text, type, program);

const encryption: Reader = (text, program) => {
  const faults = faultsOfText(text, encryptionConfiguration, program);
  const isFormer = /^no kind "EncryptionConfig" is registered for version "v1"$/.test(faults[0] ?? '');
  return isFormer ? faultsOfText(text, formerEncryptionConfiguration, program) : faults;
};

/** Read, but not looked into: certificates, keys and tables. */
const anyText: Reader = () => [];

const certificates = ['client-ca-file', 'requestheader-client-ca-file', 'tls-cert-file', 'tls-private-key-file'];
const namesOf = (names: readonly string[], reader: Reader): Record<string, Reader> =>
  Object.fromEntries(names.map((name) => [name, reader]));

const readers: Readonly<Record<Component, Readonly<Record<string, Reader>>>> = {
  'kube-apiserver': {
    'admission-control-config-file': documentOf(admissionConfiguration),
    'audit-policy-file': documentOf(auditPolicy),
    'authentication-config': documentOf(authenticationConfiguration),
    'authorization-config': documentOf(authorizationConfiguration),
    'egress-selector-config-file': documentOf(egressSelectorConfiguration),
    'encryption-provider-config': encryption,
    'tracing-config-file': documentOf(tracingConfiguration),
    ...namesOf(
      ['audit-webhook-config-file', 'authentication-token-webhook-config-file', 'authorization-webhook-config-file'],
      faultsOfKubeconfig,
    ),
    ...namesOf(
      [
        ...certificates,
        'authorization-policy-file',
        'etcd-cafile',
        'etcd-certfile',
        'etcd-keyfile',
        'kubelet-certificate-authority',
        'kubelet-client-certificate',
        'kubelet-client-key',
        'oidc-ca-file',
        'proxy-client-cert-file',
        'proxy-client-key-file',
        'service-account-key-file',
        'service-account-signing-key-file',
        'token-auth-file',
      ],
      anyText,
    ),
  },
  'kube-controller-manager': namesOf(
    [
      ...certificates,
      'cluster-signing-cert-file',
      'cluster-signing-key-file',
      'root-ca-file',
      'service-account-private-key-file',
    ],
    anyText,
  ),
  'kube-scheduler': { config: documentOf(schedulerConfiguration), ...namesOf(certificates, anyText) },
  etcd: namesOf(
    ['cert-file', 'key-file', 'trusted-ca-file', 'peer-cert-file', 'peer-key-file', 'peer-trusted-ca-file'],
    anyText,
  ),
  kubelet: {},
};

/** Without a policy the API server does not look at the webhook. */
const isUnused = (flag: string, args: readonly Arg[]): boolean =>
  flag === 'audit-webhook-config-file' && !lastValueOf(args, 'audit-policy-file');

const code = 'FileRefused';

const judgeFile = (component: Component, flag: string, path: string, found: Found, program: Program): Fault[] => {
  const unread = (message: string, remedy: string): Fault[] => [
    { flag, code, output: `${flag}: open ${path}: no such file or directory`, message, remedy },
  ];
  switch (found.is) {
    case 'unknown':
      return [];
    case 'unmounted':
      return unread(
        `--${flag} names ${path}, which its container does not have`,
        'mount it from the host by extraVolumes',
      );
    case 'missing':
      return unread(
        `--${flag} names ${path}, and the host has no ${found.hostPath}`,
        `write ${found.hostPath} by files`,
      );
    case 'known':
      return readers[component][flag]!(found.file.content, program).map((fault) => ({
        flag,
        code,
        ...(found.file.field !== undefined && { at: found.file.field }),
        output: `${flag}: loading ${path}: ${fault}`,
        message: `it does not take ${path}, which --${flag} names: ${fault}`,
        remedy: `correct ${found.file.path}`,
      }));
  }
};

/** A value that only the host knows is not looked at. */
export const judgeFiles = (
  component: Component,
  given: readonly GivenArg[],
  minor: number,
  mounts: readonly Mount[],
  host: Host,
): Fault[] => {
  const args = given.map(({ name, value = '' }) => ({ name, value })).filter(({ value }) => !isOpen(value));
  const named = args.filter(({ name, value }) => readers[component][name] && value !== '' && !isUnused(name, args));
  const faults = named.flatMap(({ name, value }) =>
    judgeFile(component, name, value, fileIn(component, value, mounts, host), { minor, args }),
  );
  const absent = missingMounts(mounts, host)
    .filter(({ hostPath }) => !faults.some(({ remedy }) => remedy.includes(hostPath)))
    .map(({ hostPath }) => ({
      flag: '',
      code,
      output: `hostPath type check failed: ${hostPath} is not a file`,
      message: `a volume mounts the file ${hostPath}, which the host does not have`,
      remedy: `write ${hostPath} by files, or remove the volume`,
    }));
  return [...faults, ...absent];
};
