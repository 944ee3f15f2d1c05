/** The real programs that validate rendered files: kubeadm, built from the Go module proxy, and cloud-init from Debian. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go, kubernetesFlags, kubernetesModule } from '../go.ts';

// Builds take minutes, so they are cached outside the repository.
const cache = join(tmpdir(), 'capstan-kubeadm');

/** Path of a kubeadm of this version, such as v1.35.0. */
export const kubeadmOf = (version: string): string => {
  const directory = join(cache, version);
  const binary = join(directory, 'kubeadm');
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'go.mod'), 'module capstan.dev/kubeadm\n');
  writeFileSync(join(directory, 'go.mod'), kubernetesModule(directory, 'capstan.dev/kubeadm', version));
  writeFileSync(join(directory, 'tools.go'), 'package tools\n\nimport _ "k8s.io/kubernetes/cmd/kubeadm/app"\n');
  go(directory, 'mod', 'tidy');
  // Built under another name: an interrupted build must not look like a finished one.
  const flags = ['-ldflags', kubernetesFlags(version)];
  go(directory, 'build', '-o', `${binary}.new`, ...flags, 'k8s.io/kubernetes/cmd/kubeadm');
  renameSync(`${binary}.new`, binary);
  return binary;
};

// cloud-init and what its schema command imports; unpacked, because an installation would change this machine.
const packages = [
  'cloud-init',
  ...['attr', 'certifi', 'chardet', 'charset-normalizer', 'configobj', 'idna', 'jinja2', 'json-pointer', 'jsonpatch'],
  ...[
    'jsonschema',
    'markupsafe',
    'netifaces',
    'oauthlib',
    'pyrsistent',
    'requests',
    'serial',
    'six',
    'urllib3',
    'yaml',
  ],
].map((name) => (name === 'cloud-init' ? name : `python3-${name}`));

/** Directory with the Python packages of Debian's cloud-init. */
const cloudInitPackages = (): string => {
  const directory = join(cache, 'cloud-init-packages');
  const root = join(directory, 'root');
  if (!existsSync(root)) {
    mkdirSync(directory, { recursive: true });
    const run = (command: string) => execFileSync('sh', ['-ec', command], { cwd: directory, stdio: 'pipe' });
    run(`apt-get download ${packages.join(' ')}`);
    run('for package in *.deb; do dpkg-deb -x "$package" root.new; done');
    renameSync(join(directory, 'root.new'), root);
  }
  return join(root, 'usr/lib/python3/dist-packages');
};

const python = (args: string[], input?: string, environment: Record<string, string> = {}) => {
  const env = { ...process.env, ...environment, PYTHONPATH: cloudInitPackages() };
  // Debian's own interpreter: some of the packages are compiled for it.
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', args, { env, input, encoding: 'utf8' });
  return { status, stdout, stderr };
};

const renderer = `
import json, sys
from cloudinit.templater import render_string
print(render_string(sys.stdin.read(), {'ds': {'meta_data': json.loads(sys.argv[1])}}), end='')
`;
/** The user data after cloud-init's template engine ran on an instance with these metadata. */
export const renderOnInstance = (userData: string, metadata: Record<string, string>): string => {
  const { status, stdout, stderr } = python(['-c', renderer, JSON.stringify(metadata)], userData);
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

const allRenderer = `
import json, sys
from cloudinit.templater import render_string
def render(template, metadata):
    try:
        return render_string('## template: jinja\\n' + template, {'ds': {'meta_data': metadata}})
    except Exception:
        return None
templates, metadata = json.loads(sys.stdin.read())
print(json.dumps([render(template, metadata) for template in templates]))
`;
/** What cloud-init makes of each template; null where it drops the part. */
export const renderAll = (templates: readonly string[], metadata: object): (string | null)[] => {
  const { status, stdout, stderr } = python(['-c', allRenderer], JSON.stringify([templates, metadata]));
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as (string | null)[];
};

// The network stage in its own order: includes are resolved before boothooks run. The instance's `systemctl` ends it, as systemd
// would, and it starts once more. Published images continue when an include is missing.
const networkStage = `
import os, sys
from cloudinit import features, stages
from cloudinit.settings import PER_ALWAYS, PER_INSTANCE
root = sys.argv[1]
features.ERROR_ON_USER_DATA_FAILURE = False
os.environ['CLOUD_INIT'] = str(os.getpid())
source = {'userdata_raw': sys.stdin.read(), 'metadata': {'local_hostname': 'ip-10-0-0-1.ec2.internal'}}
paths = {'cloud_dir': root + '/lib', 'run_dir': root + '/run'}
init = stages.Init(ds_deps=[])
init._read_cfg = lambda *_: {
    'datasource_list': ['None'],
    'datasource': {'None': source},
    'system_info': {'distro': 'debian', 'paths': paths},
}
init.initialize()
init.fetch(existing='trust')
init.instancify()
init.setup_datasource()
init.update()
ran, _ = init.cloudify().run('consume_data', init.consume_data, args=[PER_INSTANCE], freq=PER_INSTANCE)
if not ran:
    init.consume_data(PER_ALWAYS)
print('\\n' + open(init.paths.get_ipath_cur('cloud_config')).read())
`;
const systemctl = (root: string) => `#!/bin/bash
echo "$*" >> ${root}/restarts
kill -KILL "$CLOUD_INIT" "$PPID"
`;

/** The actions of cloud-init on an instance with this user data, whose bootstrap data is in `root`/secret-userdata.txt. */
export const consumeOnInstance = (userData: string, root: string, aws: string): string => {
  const tools = join(root, 'bin');
  mkdirSync(tools);
  writeFileSync(join(tools, 'aws'), aws, { mode: 0o755 });
  writeFileSync(join(tools, 'systemctl'), systemctl(root), { mode: 0o755 });
  const environment = { PATH: `${tools}:${process.env.PATH}`, TMPDIR: root };
  const boot = () => python(['-c', networkStage, root], userData, environment);
  const first = boot();
  const { status, stdout, stderr } = existsSync(join(root, 'restarts')) ? boot() : first;
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

/** The output of `cloud-init schema` for a file. */
export const checkCloudConfig = (file: string): string => {
  const { status, stdout, stderr } = python(['-m', 'cloudinit.cmd.main', 'schema', '--config-file', file]);
  return status === 0 ? stdout.trim() : `${stdout}${stderr}`;
};

/** Downloads its packages the first time, which needs a network. */
export const prepareCloudInit = (): void => {
  cloudInitPackages();
};
