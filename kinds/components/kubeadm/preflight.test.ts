import { expect, it } from 'vitest';
import { judgeHost, type KubeadmRun, type PreparedHost, preflightOutput } from './preflight.ts';

const init: KubeadmRun = {
  command: 'init',
  isControlPlane: true,
  ignored: [],
  skipPhases: [],
  bindPort: 6443,
  dataDir: '/var/lib/etcd',
};
const worker: KubeadmRun = { ...init, command: 'join', isControlPlane: false };
const plain: PreparedHost = {
  processors: 2,
  memoryMiB: 4096,
  isPublished: true,
  paths: [],
  mounts: [],
  fileSystems: [],
  commands: [],
};
const etcdDisk = (filesystem: string, point = '/var/lib/etcd'): Partial<PreparedHost> => ({
  mounts: [{ device: 'LABEL=etcd_disk', point }],
  fileSystems: [{ device: '/dev/nvme1n1', filesystem, label: 'etcd_disk' }],
});

interface Case {
  run?: Partial<KubeadmRun>;
  host?: Partial<PreparedHost>;
  minor?: number;
}

/** For each rule, hosts that kubeadm takes and hosts that it refuses, by the check that fails. */
it.each<{ rule: string; of?: KubeadmRun; takes: Case[]; refuses: [check: string, ...Case[]] }>([
  {
    rule: 'processors of a control plane',
    takes: [{}, { host: { processors: undefined } }, { host: { processors: 1 }, run: { ignored: ['NumCPU'] } }],
    refuses: ['NumCPU', { host: { processors: 1 } }, { host: { processors: 1 }, run: { command: 'join' } }],
  },
  {
    rule: 'memory of a control plane',
    takes: [
      { host: { memoryMiB: 2048 } },
      { host: { memoryMiB: 1024 }, run: { ignored: ['all'] } },
      { host: { memoryMiB: 1024 }, run: { skipPhases: ['preflight'] } },
    ],
    refuses: ['Mem', { host: { memoryMiB: 1024 } }, { host: { memoryMiB: 1024 }, run: { ignored: ['NumCPU'] } }],
  },
  {
    rule: 'ports that other programs use',
    takes: [{ run: { bindPort: 443 } }, { run: { bindPort: 8443 } }],
    refuses: ['Port-10250', { run: { bindPort: 10_250 } }],
  },
  {
    rule: 'manifests that exist',
    takes: [{ host: { paths: ['/etc/kubernetes/manifests/kube-vip.yaml', '/etc/kubernetes/pki/ca.crt'] } }],
    refuses: [
      'FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml',
      { host: { paths: ['/etc/kubernetes/manifests/kube-apiserver.yaml'] } },
    ],
  },
  {
    rule: 'files in the data directory of etcd',
    takes: [
      { host: { paths: ['/var/lib/etcd/db'] }, run: { dataDir: '/var/lib/other' } },
      { host: { paths: ['/var/lib/etcd/db'] }, run: { dataDir: undefined } },
      { host: { paths: ['/var/lib/etcd/db'] }, run: { ignored: ['DirAvailable--var-lib-etcd'] } },
      { host: { paths: ['/var/lib/etcd/db'], commands: ['rm -rf /var/lib/etcd'] } },
    ],
    refuses: ['DirAvailable--var-lib-etcd', { host: { paths: ['/var/lib/etcd/db'] } }],
  },
  {
    rule: 'lost+found of a file system that is the data directory',
    takes: [
      { host: etcdDisk('xfs') },
      { host: etcdDisk('ext4', '/var/lib/etcddisk'), run: { dataDir: '/var/lib/etcddisk/etcd' } },
      { host: { ...etcdDisk('ext4'), commands: ['rm -rf /var/lib/etcd/lost+found'] } },
    ],
    refuses: [
      'DirAvailable--var-lib-etcd',
      { host: etcdDisk('ext4') },
      { host: { mounts: [{ device: '/dev/nvme1n1', point: '/var/lib/etcd/', type: 'ext4' }] } },
    ],
  },
  {
    rule: 'sockets without a container runtime',
    takes: [
      {},
      { run: { criSocket: '/run/containerd/containerd.sock' } },
      { run: { criSocket: 'unix:///var/run/containerd/containerd.sock' } },
      { run: { criSocket: '/var/run/dockershim.sock' }, minor: 23, host: { isPublished: false } },
      { run: { criSocket: 'unix:///var/run/crio/crio.sock' }, host: { isPublished: false } },
      { run: { criSocket: 'unix:///var/run/crio/crio.sock' }, host: { commands: ['apt-get install -y cri-o'] } },
      { run: { criSocket: '{{ ds.meta_data.socket }}' } },
    ],
    refuses: [
      'CRI',
      { run: { criSocket: '/var/run/dockershim.sock' }, minor: 24, host: { isPublished: false } },
      { run: { criSocket: 'unix:///var/run/dockershim.sock' }, host: { commands: ['apt-get install -y docker.io'] } },
      { run: { criSocket: 'unix:///var/run/crio/crio.sock' } },
      { run: { criSocket: '/var/run/dockershim.sock' }, minor: 23 },
    ],
  },
  {
    rule: 'authorities of a worker that exist',
    of: worker,
    takes: [
      { host: { processors: 1, memoryMiB: 512 } },
      { host: { paths: ['/etc/kubernetes/pki/ca.crt'] }, run: { caCertPath: '/etc/ca.crt' } },
    ],
    refuses: ['FileAvailable--etc-kubernetes-pki-ca.crt', { host: { paths: ['/etc/kubernetes/pki/ca.crt'] } }],
  },
  {
    rule: 'kubeconfigs of a kubelet that exist',
    of: worker,
    takes: [{ host: { paths: ['/etc/kubernetes/kubelet.yaml'] } }],
    refuses: ['FileAvailable--etc-kubernetes-kubelet.conf', { host: { paths: ['/etc/kubernetes/kubelet.conf'] } }],
  },
])('kubeadm refuses $rule', ({ of = init, takes, refuses: [check, ...refused] }) => {
  const checks = ({ run, host, minor = 35 }: Case): string[] =>
    judgeHost({ ...of, ...run }, { ...plain, ...host }, minor).map((fault) => fault.check);
  for (const one of takes) expect([one, checks(one)]).toEqual([one, []]);
  for (const one of refused) expect([one, checks(one)]).toEqual([one, [check]]);
});

it('prints all faults at once', () =>
  expect(preflightOutput(judgeHost(init, { ...plain, processors: 1, memoryMiB: 1024 }, 35))).toBe(
    '[preflight] Some fatal errors occurred:\n' +
      '\t[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2\n' +
      '\t[ERROR Mem]: the system RAM (1024 MB) is less than the minimum 1700 MB',
  ));
