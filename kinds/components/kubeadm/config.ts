/**
 * What kubeadm's own validation refuses of its documents, whose fields a KubeadmConfigSpec has, too.
 * Faults of YAML, unknown fields and flags of programs are judged elsewhere. Pure.
 */
import { type Fields, fieldsOf, listOf, textOf, textsOf } from '../files/document.ts';
import {
  type FieldFault,
  type Judge,
  judgeAbsolutePath,
  judgeAddress,
  judgeCertificateKey,
  judgeEndpoint,
  judgeEndpointWithPort,
  judgeNames,
  judgeOneOf,
  judgePodSubnet,
  judgePort,
  judgeRepository,
  judgeServiceSubnet,
  judgeSubdomain,
} from './fields.ts';

/** A value that cloud-init or a command like envsubst fills in is not known, and an empty one has a default. */
const known = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text === '' || /\{[{%]|\$/.test(text) ? undefined : text;
};

const of = (path: string, value: unknown, judge: Judge): FieldFault[] => {
  const text = known(value);
  return text === undefined ? [] : judge(path, text);
};

const argOf = (args: unknown, name: string): string | undefined =>
  Array.isArray(args) ? textOf(listOf(args).findLast((arg) => arg.name === name)?.value) : textOf(fieldsOf(args)[name]);

/** A number in a flag that is none is refused by the program. */
const maskOf = (args: unknown, name: string, fallback: number): number => Number(argOf(args, name) || fallback);

export const judgeNetworking = (
  { serviceSubnet, podSubnet, dnsDomain }: Fields,
  controllerArgs: unknown,
  path = 'networking',
): FieldFault[] => {
  const masks = {
    ipv4: maskOf(controllerArgs, 'node-cidr-mask-size-ipv4', 24),
    ipv6: maskOf(controllerArgs, 'node-cidr-mask-size-ipv6', 64),
  };
  const isAllocated = argOf(controllerArgs, 'allocate-node-cidrs') !== 'false';
  return [
    ...of(`${path}.dnsDomain`, dnsDomain, judgeSubdomain),
    ...of(`${path}.serviceSubnet`, serviceSubnet, judgeServiceSubnet),
    ...(isAllocated ? of(`${path}.podSubnet`, podSubnet, (at, text) => judgePodSubnet(at, text, masks)) : []),
  ];
};

const judgeEtcd = ({ local, external }: Fields): FieldFault[] => {
  const { dataDir, serverCertSANs, peerCertSANs, imageRepository } = fieldsOf(local);
  const { endpoints, caFile, certFile, keyFile } = fieldsOf(external);
  const pair = [certFile, keyFile].filter((file) => textOf(file) !== '').length;
  const at = 'etcd.external';
  return [
    ...of('etcd.local.dataDir', dataDir, judgeAbsolutePath),
    ...judgeNames('etcd.local.serverCertSANs', textsOf(serverCertSANs)),
    ...judgeNames('etcd.local.peerCertSANs', textsOf(peerCertSANs)),
    ...of('etcd.local.imageRepository', imageRepository, judgeRepository),
    ...(pair === 1 ? [{ path: at, why: 'either both or none of certFile and keyFile must be set' }] : []),
    ...(pair === 2 && textOf(caFile) === '' ? [{ path: at, why: 'setting certFile and keyFile requires caFile' }] : []),
    ...textsOf(endpoints).flatMap((url) =>
      /^https?:\/\/[^/]+/.test(url) && (url.startsWith('https:') || (pair === 0 && textOf(caFile) === ''))
        ? []
        : [{ path: `${at}.endpoints`, value: url, why: 'the URL must be using the HTTPS scheme' }],
    ),
    ...[caFile, certFile, keyFile].flatMap((file) => of(at, file, judgeAbsolutePath)),
  ];
};

const algorithms = (minor: number): string[] => [
  'RSA-2048',
  'RSA-3072',
  'RSA-4096',
  'ECDSA-P256',
  ...(minor >= 34 ? ['ECDSA-P384'] : []),
];

export const judgeClusterConfiguration = (cluster: Fields, minor: number): FieldFault[] => {
  const { networking, controllerManager, apiServer, dns, etcd, encryptionAlgorithm } = cluster;
  return [
    ...judgeNetworking(fieldsOf(networking), fieldsOf(controllerManager).extraArgs),
    ...judgeNames('apiServer.certSANs', textsOf(fieldsOf(apiServer).certSANs)),
    ...of('certificatesDir', cluster.certificatesDir, judgeAbsolutePath),
    ...of('controlPlaneEndpoint', cluster.controlPlaneEndpoint, judgeEndpoint),
    ...of('imageRepository', cluster.imageRepository, judgeRepository),
    ...of('dns.imageRepository', fieldsOf(dns).imageRepository, judgeRepository),
    ...judgeEtcd(fieldsOf(etcd)),
    ...of('encryptionAlgorithm', encryptionAlgorithm, (at, text) => judgeOneOf(at, text, algorithms(minor))),
  ];
};

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

const judgeNode = (node: Fields): FieldFault[] => {
  const { name, imagePullPolicy, ignorePreflightErrors } = node;
  const ignored = new Set(textsOf(ignorePreflightErrors).map((one) => one.toLowerCase()));
  return [
    ...of('nodeRegistration.name', name, (path, text) => judgeSubdomain(path, text.toLowerCase())),
    ...of('nodeRegistration.imagePullPolicy', imagePullPolicy, (path, text) => judgeOneOf(path, text, pullPolicies)),
    ...(ignored.has('all') && ignored.size > 1
      ? [{ path: 'nodeRegistration.ignorePreflightErrors', why: "don't specify individual checks if 'all' is used" }]
      : []),
  ];
};

const judgeLocalEndpoint = ({ advertiseAddress, bindPort }: Fields, path: string): FieldFault[] => [
  ...of(`${path}.advertiseAddress`, advertiseAddress, judgeAddress),
  ...(typeof bindPort === 'number' && bindPort !== 0 ? judgePort(`${path}.bindPort`, bindPort) : []),
];

const groupName = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

const judgeTokens = (tokens: unknown): FieldFault[] =>
  listOf(tokens).flatMap(({ usages, groups }, i) => {
    const path = `bootstrapTokens[${i}]`;
    const [uses, names] = [textsOf(usages), textsOf(groups)];
    const unknown = uses.find((use) => use !== 'signing' && use !== 'authentication');
    const badGroup = names.find((name) => !groupName.test(name));
    return [
      ...(unknown === undefined
        ? []
        : [{ path: `${path}.usages`, value: unknown, why: 'invalid bootstrap token usage string' }]),
      ...(badGroup === undefined
        ? []
        : [{ path: `${path}.groups`, value: badGroup, why: 'bootstrap group does not match system:bootstrappers:…' }]),
      // Without groups kubeadm takes its default one.
      ...(unknown === undefined && uses.length > 0 && !uses.includes('authentication')
        ? [{ path: `${path}.groups`, why: 'token groups cannot be specified unless usages includes "authentication"' }]
        : []),
    ];
  });

const initPhases: Readonly<Record<string, readonly string[]>> = {
  preflight: [],
  certs: [
    ...[
      'ca',
      'apiserver',
      'apiserver-kubelet-client',
      'front-proxy-ca',
      'front-proxy-client',
      'etcd-ca',
      'etcd-server',
    ],
    ...['etcd-peer', 'etcd-healthcheck-client', 'apiserver-etcd-client', 'sa'],
  ],
  kubeconfig: ['admin', 'super-admin', 'kubelet', 'controller-manager', 'scheduler'],
  etcd: ['local'],
  'control-plane': ['apiserver', 'controller-manager', 'scheduler'],
  'kubelet-start': [],
  'wait-control-plane': [],
  'upload-config': ['kubeadm', 'kubelet'],
  'upload-certs': [],
  'mark-control-plane': [],
  'bootstrap-token': [],
  'kubelet-finalize': ['experimental-cert-rotation', 'enable-client-cert-rotation'],
  addon: ['coredns', 'kube-proxy'],
  'show-join-command': [],
};
const joinPhases: Readonly<Record<string, readonly string[]>> = {
  preflight: [],
  'control-plane-prepare': ['download-certs', 'certs', 'kubeconfig', 'control-plane'],
  'kubelet-start': [],
  'kubelet-wait-bootstrap': [],
  'check-etcd': [],
  'etcd-join': [],
  'control-plane-join': ['etcd', 'etcd-join', 'update-status', 'mark-control-plane'],
  'wait-control-plane': [],
};

/** Phases of any release: a phase that one of them lacks is not certain to be wrong. */
const judgePhases = (skipped: unknown, phases: Readonly<Record<string, readonly string[]>>): FieldFault[] =>
  textsOf(skipped).flatMap((one) => {
    const [phase = '', part] = one.split('/');
    const isKnown =
      Object.hasOwn(phases, phase) && (part === undefined || part === 'all' || phases[phase]!.includes(part));
    return isKnown ? [] : [{ path: 'skipPhases', value: one, why: `invalid phase name: ${one}` }];
  });

export const judgeInitConfiguration = (init: Fields): FieldFault[] => [
  ...judgeNode(fieldsOf(init.nodeRegistration)),
  ...judgeTokens(init.bootstrapTokens),
  ...judgeLocalEndpoint(fieldsOf(init.localAPIEndpoint), 'localAPIEndpoint'),
  ...of('certificateKey', init.certificateKey, judgeCertificateKey),
  ...judgePhases(init.skipPhases, initPhases),
];

export const judgeJoinConfiguration = (join: Fields): FieldFault[] => {
  const { bootstrapToken } = fieldsOf(join.discovery);
  const controlPlane = fieldsOf(join.controlPlane);
  return [
    ...of(
      'discovery.bootstrapToken.apiServerEndpoint',
      fieldsOf(bootstrapToken).apiServerEndpoint,
      judgeEndpointWithPort,
    ),
    ...judgeNode(fieldsOf(join.nodeRegistration)),
    ...judgeLocalEndpoint(fieldsOf(controlPlane.localAPIEndpoint), 'controlPlane.localAPIEndpoint'),
    ...of('controlPlane.certificateKey', controlPlane.certificateKey, judgeCertificateKey),
    ...of('caCertPath', join.caCertPath, (path, text) =>
      text.startsWith('/') && text.endsWith('.crt')
        ? []
        : [{ path, value: text, why: 'the ca certificate path must be an absolute path' }],
    ),
    ...judgePhases(join.skipPhases, joinPhases),
  ];
};

/** As kubeadm prints it. */
export const outputOf = ({ path, value, why }: FieldFault): string =>
  `${path}: Invalid value: ${JSON.stringify(value ?? '')}: ${why}`;
