/**
 * The parts of KubeadmConfigSpec that v1beta1 and v1beta2 share, except for the treatment of empty
 * values.
 */
import {
  atomicList,
  boolean,
  bytes,
  int32,
  intOrString,
  list,
  map,
  object,
  oneOf,
  required,
  type Schema,
  string,
  stringMap,
  time,
} from '../../../machinery/api/schema.ts';
import { type ApiVersion, inV1beta2, legacyFailure } from '../../common/schema.ts';

const quantity =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
const partitionTypes = {
  rule: "self.matches('^(Linux|LinuxSwap|LinuxRAID|LVM|Fat32|NTFS|LinuxExtended|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$')",
  message:
    'partitionType must be one of Linux, LinuxSwap, LinuxRAID, LVM, Fat32, NTFS, LinuxExtended or a full GPT partition GUID',
};
const atomic = { 'x-kubernetes-map-type': 'atomic' } as const;

/** A non-empty string of at most `max` characters. */
export const text = (description: string, max: number): Schema<string> =>
  string(description, { maxLength: max, minLength: 1 });

/** These kinds also limit the length of the reason. */
export const boundedFailure = {
  ...legacyFailure,
  failureReason: string('What went wrong for good, in one word.', { maxLength: 256, minLength: 1 }),
};

const keyOf = (what: string) =>
  object(
    `Takes the value from a key of a ${what} in the namespace of the pod.`,
    {
      key: required(string('The key to read.')),
      name: string(`Name of the ${what}.`, { default: '' }),
      optional: boolean(`True when the ${what} or its key may be missing.`),
    },
    atomic,
  );

export const environmentVariable = object('One environment variable of the container.', {
  name: required(string('Name of the variable.')),
  value: string('Value of the variable; $(NAME) is replaced by the value of another variable.'),
  valueFrom: object('Where the value comes from; only when value is empty.', {
    configMapKeyRef: keyOf('ConfigMap'),
    fieldRef: object(
      'Takes the value from a field of the pod.',
      {
        apiVersion: string('Version in which the path is written; v1 when empty.'),
        fieldPath: required(string('Path of the field.')),
      },
      atomic,
    ),
    fileKeyRef: object(
      'Takes the value from a key in an environment file of a volume.',
      {
        key: required(string('The key in the file.')),
        optional: boolean('True when the file or its key may be missing.', { default: false }),
        path: required(string('Path of the file inside the volume.')),
        volumeName: required(string('Name of the volume that holds the file.')),
      },
      atomic,
    ),
    resourceFieldRef: object(
      'Takes the value from a request or limit of a container.',
      {
        containerName: string('Name of the container; its own when empty.'),
        divisor: intOrString('The unit the value is given in; 1 when empty.', { pattern: quantity }),
        resource: required(string('The resource, such as limits.cpu.')),
      },
      atomic,
    ),
    secretKeyRef: keyOf('Secret'),
  }),
});

const hostPathMount = object('A directory or file of the host that a control plane container sees.', {
  hostPath: required(text('Path on the host.', 512)),
  mountPath: required(text('Path inside the container.', 512)),
  name: required(text('Name of the volume in the pod.', 512)),
  pathType: string('What must be there on the host, such as DirectoryOrCreate.'),
  readOnly: boolean('True when the container must not write to it.'),
});

const taint = object('A taint that the node is registered with.', {
  effect: required(string('What happens to pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute.')),
  key: required(string('Key of the taint.')),
  timeAdded: time('When the taint was added.'),
  value: string('Value of the taint.'),
});

const secretKey = (of: string) =>
  object(`The Secret that holds the ${of}.`, {
    key: required(text('The key in the Secret.', 256)),
    name: required(text('Name of a Secret in the namespace of the config.', 253)),
  });

/** `v1beta2` rejects empty lists and structs, and replaces its lists as a whole. */
export const parts = (version: ApiVersion) => {
  const strict = version === 'v1beta2';
  const struct = inV1beta2(version, { minProperties: 1 });
  const filled = inV1beta2(version, { minItems: 1 });
  const sequence = strict ? atomicList : list;
  const many = <T>(description: string, of: Schema<T>, maxItems: number): Schema<T[]> =>
    sequence(description, of, { maxItems, ...filled });
  const texts = (description: string, maxItems: number, maxLength: number): Schema<string[]> =>
    many(description, text('', maxLength), maxItems);
  const command = (description: string) => texts(description, 1000, 10240);

  const patches = object(
    'Patches that kubeadm applies to what it renders.',
    {
      directory: text('Directory of the patch files, named target[suffix][+patchtype].extension.', 512),
    },
    struct,
  );
  const localAPIEndpoint = object(
    'Where the API server of this node listens.',
    {
      advertiseAddress: text('The address it is advertised on; that of the default interface when empty.', 39),
      bindPort: strict
        ? int32('The port it listens on; 6443 when unset.', { minimum: 1 })
        : int32('The port it listens on; 6443 when zero.'),
    },
    struct,
  );
  const bootstrapTokenDiscovery = object(
    'Finds the cluster with a bootstrap token.',
    {
      apiServerEndpoint: text('Host and port of the API server to ask; the cluster endpoint when empty.', 512),
      caCertHashes: texts('Accepted public keys of the cluster CA, as type:hash, such as sha256:….', 100, 512),
      token: text('The token that proves the cluster information; made when empty.', 512),
      unsafeSkipCAVerification: boolean('True to trust whatever CA the endpoint shows.'),
    },
    struct,
  );
  const fileDiscovery = object('Finds the cluster with a kubeconfig file.', {
    kubeConfig: object('A kubeconfig to write to that path; its server and CA are filled in when empty.', {
      cluster: object(
        'The cluster entry of the kubeconfig.',
        {
          certificateAuthorityData: bytes('The CA that signs the server certificate, PEM in base64.', {
            maxLength: 51200,
            minLength: 1,
          }),
          insecureSkipTLSVerify: boolean('True to accept any server certificate.'),
          proxyURL: text('A proxy to go through.', 512),
          server: text('URL of the API server.', 512),
          tlsServerName: text('The name to expect in the server certificate.', 512),
        },
        struct,
      ),
      user: required(
        object(
          'How the joining node authenticates.',
          {
            authProvider: object('An authentication provider that is built into the client.', {
              config: stringMap('Settings of the provider.'),
              name: required(text('Name of the provider.', 256)),
            }),
            exec: object('A command that prints the credentials.', {
              apiVersion: text('Version in which the command speaks to the client.', 512),
              args: texts('Arguments of the command.', 100, 512),
              command: required(text('The command to run.', 1024)),
              env: many(
                'Environment variables of the command.',
                object('One environment variable.', {
                  name: required(text('Name of the variable.', 512)),
                  value: required(text('Value of the variable.', 512)),
                }),
                100,
              ),
              provideClusterInfo: boolean('True to hand the command the cluster entry in KUBERNETES_EXEC_INFO.'),
            }),
          },
          struct,
        ),
      ),
    }),
    kubeConfigPath: required(text('Path or URL of the kubeconfig.', 512)),
  });
  const partition = {
    device: required(text('The disk, such as /dev/nvme1n1.', 256)),
    diskLayout: sequence(
      'The partitions in order; together they may take at most the whole disk.',
      object('One partition.', {
        partitionType: string('What the partition is for; Linux when empty.', {
          maxLength: 36,
          minLength: 1,
          'x-kubernetes-validations': [partitionTypes],
        }),
        percentage: required(int32('Share of the disk in percent.', { maximum: 100, minimum: 1 })),
      }),
      { maxItems: 100, minItems: 1 },
    ),
    overwrite: boolean('True to write the table even when the disk has one. Use with care.'),
    tableType: oneOf('Kind of partition table; mbr when empty.', ['mbr', 'gpt']),
  };

  return {
    many,
    texts,
    struct,
    patches,
    localAPIEndpoint,
    bootstrapTokenDiscovery,
    fileDiscovery,
    partition,
    extraEnvs: many('Environment variables added to the container.', environmentVariable, 100),
    extraVolumes: many('Host paths mounted into the container.', hostPathMount, 100),
    skipPhases: texts('Phases of kubeadm to leave out.', 50, 256),
    caCertPath: text('Path of the cluster CA on the node; /etc/kubernetes/pki/ca.crt when empty.', 512),
    tlsBootstrapToken: text('Token for the TLS bootstrap; the discovery token when empty.', 512),
    controlPlane: object('Set when the node joins as a control plane node.', { localAPIEndpoint }),
    certSANs: (of: string) => texts(`Further names and addresses in the ${of} certificate.`, 100, 253),
    endpoints: (description: string) => sequence(description, text('', 512), { maxItems: 50, ...filled }),
    dns: object(
      'The DNS add-on of the cluster.',
      {
        imageRepository: text('Repository of its image; that of the cluster when empty.', 512),
        imageTag: text('Tag of its image; that of the Kubernetes version when empty.', 256),
      },
      struct,
    ),
    days: {
      caCertificateValidityPeriodDays: int32('Days for which generated CAs are valid; 3650 when unset.', {
        maximum: 36500,
        minimum: 1,
      }),
      certificateValidityPeriodDays: int32(
        'Days for which kubeadm makes other certificates valid; 365 when unset. From Kubernetes 1.31.',
        { maximum: 1095, minimum: 1 },
      ),
    },
    certificatesDir: text('Directory of the certificates; /etc/kubernetes/pki when empty.', 512),
    controlPlaneEndpoint: text('Stable host and port of the control plane; taken from the Cluster when empty.', 512),
    encryptionAlgorithm: oneOf('Algorithm of generated keys; RSA-2048 when empty.', [
      'ECDSA-P256',
      'ECDSA-P384',
      'RSA-2048',
      'RSA-3072',
      'RSA-4096',
    ]),
    featureGates: map('Feature gates of kubeadm.', boolean('')),
    imageRepository: text('Repository that control plane images come from; registry.k8s.io when empty.', 512),
    etcdImage: {
      dataDir: text('Directory of the data; /var/lib/etcd when empty.', 512),
      imageRepository: text('Repository of the etcd image; that of the cluster when empty.', 512),
      imageTag: text('Tag of the etcd image; that of the Kubernetes version when empty.', 256),
    },
    bootstrapToken: {
      description: text('What the token is for, in words.', 512),
      expires: time('When the token ends; excludes a time to live.'),
      groups: texts('Groups that a client with this token belongs to.', 100, 256),
      usages: texts('What the token may be used for: signing, authentication.', 100, 256),
    },
    registration: {
      criSocket: text('Socket of the container runtime.', 512),
      ignorePreflightErrors: texts('Preflight checks whose errors are only reported; all of them with "all".', 50, 512),
      imagePullPolicy: oneOf('When kubeadm pulls images; IfNotPresent when empty.', [
        'Always',
        'IfNotPresent',
        'Never',
      ]),
      imagePullSerial: boolean('True to pull images one after the other, the default.'),
      name: text('Name of the Node; the host name when empty.', 253),
      taints: list(
        'Taints of the Node; unset means the default of its role, and an empty list means none.',
        taint,
        strict ? { maxItems: 100, minItems: 0 } : { maxItems: 100 },
      ),
    },
    filesystem: object('A file system to make.', {
      device: required(text('The device, such as /dev/nvme1n1.', 256)),
      extraOpts: sequence('Further arguments of mkfs.', text('', 256), { maxItems: 100 }),
      filesystem: required(text('Type of the file system, such as ext4.', 128)),
      label: text('Label of the file system.', 512),
      overwrite: boolean('True to replace a file system that is there. Use with care.'),
      partition: text('Which partition: auto, any, none, or its number.', 128),
      replaceFS: text('Replace a file system of this type only.', 128),
    }),
    filesystems: <T>(of: Schema<T>) => sequence('File systems to make.', of, { maxItems: 100 }),
    partitions: <T>(of: Schema<T>) => sequence('Partition tables to write.', of, { maxItems: 100 }),
    node: {
      bootCommands: command('Commands run very early at every boot, before the rest of cloud-init.'),
      files: many(
        'Files to write before kubeadm runs.',
        object('A file to write.', {
          append: boolean('True to append to what is there.'),
          content: text('The content itself.', 10240),
          contentFormat: oneOf('How the content is meant: Raw, or a Template that knows the control plane version.', [
            'Raw',
            'Template',
          ]),
          contentFrom: object('Where the content comes from instead.', { secret: required(secretKey('content')) }),
          encoding: oneOf('How the content is encoded; plain when empty.', ['base64', 'gzip', 'gzip+base64']),
          owner: text('Owner as user:group; root:root when empty.', 256),
          path: required(text('Absolute path of the file.', 512)),
          permissions: text('Mode in octal, such as 0640.', 16),
        }),
        200,
      ),
      format: oneOf('Form of the user data; cloud-config when empty.', ['cloud-config', 'ignition']),
      ignition: object(
        'Settings for the ignition format.',
        {
          containerLinuxConfig: object(
            'Container Linux Config that is added to the generated one.',
            {
              additionalConfig: text('The additional config as YAML.', 32768),
              strict: boolean('True when unknown fields and warnings are errors.'),
            },
            struct,
          ),
        },
        struct,
      ),
      mounts: sequence(
        'Entries of fstab, each a list of its fields.',
        list('', text('', 512), strict ? { maxItems: 100, minItems: 1 } : {}),
        { maxItems: 100, ...filled },
      ),
      ntp: object(
        'Time synchronisation of the node.',
        {
          enabled: boolean('True to run the time service.'),
          servers: sequence('Servers to synchronise with.', text('', 512), { maxItems: 100 }),
        },
        struct,
      ),
      postKubeadmCommands: command('Commands run after kubeadm.'),
      preKubeadmCommands: command('Commands run before kubeadm.'),
      users: many(
        'Users to make on the node.',
        object('A user.', {
          gecos: text('Full name or comment.', 256),
          groups: text('Further groups, separated by commas.', 256),
          homeDir: text('Home directory.', 256),
          inactive: boolean('True to make the account inactive.'),
          lockPassword: boolean('True to forbid logging in with a password.'),
          name: required(text('Login name.', 256)),
          passwd: text('Hash of the password.', 256),
          passwdFrom: object('Where the hash of the password comes from instead.', {
            secret: required(secretKey('hash')),
          }),
          primaryGroup: text('Primary group.', 256),
          shell: text('Login shell.', 256),
          sshAuthorizedKeys: sequence('Public keys that may log in.', text('', 2048), { maxItems: 100 }),
          sudo: text('The rule for sudo.', 256),
        }),
        100,
      ),
      verbosity: int32('How much kubeadm logs, as its --v flag.'),
    },
  };
};
