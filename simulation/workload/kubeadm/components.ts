/** The programs of a host that exit at their start, for which kubeadm waits in vain. */
import { faultsOf } from '../../../kinds/components/component.ts';
import type { Arg, Component } from '../../../kinds/components/fault.ts';
import { defaultCertificatesDir, type Host, type HostFile, withScripts } from '../../../kinds/components/files/host.ts';
import { judgeFiles } from '../../../kinds/components/files/judge.ts';
import { judgeHost, type KubeadmRun, preflightOutput } from '../../../kinds/components/kubeadm/preflight.ts';
import { delays } from '../delays.ts';
import type { Machine } from '../machine.ts';
import type { StaticPod } from '../records.ts';
import { ConfigError } from './documents.ts';
import { isPublished, type KubernetesVersion } from './version.ts';

/** A program of the host does not run; kubeadm ends with status 1. */
export class ComponentError extends Error {
  override readonly name = 'ComponentError';
}

/** How the kubelet introduces its errors, by the phase of its start. */
const kubeletPhases: [RegExp, string][] = [
  [/^(?:unknown flag|invalid argument)/, 'failed to parse kubelet flag: '],
  [/feature gate/, 'failed to set feature gates from initial flags-based config: '],
  [/^unknown 'kubernetes\.io'|^invalid node labels/, 'failed to validate kubelet flags: '],
  [/^invalid configuration/, 'failed to validate kubelet configuration, error: '],
];

/** What the journal of a kubelet with these flags ends with; undefined if it runs. */
export const kubeletFailure = (args: Readonly<Record<string, string>>, { minor }: KubernetesVersion) => {
  const given = Object.entries(args).map(([name, value]) => ({ name, value }));
  const [fault] = faultsOf('kubelet', given, minor);
  if (!fault) return undefined;
  const phase = kubeletPhases.find(([pattern]) => pattern.test(fault.output))?.[1] ?? '';
  return `kubelet: "command failed" err="${phase}${fault.output}"`;
};

/** `--name=value`; without a value: true. */
const argOf = (word: string): Arg => {
  const [, name = '', value = 'true'] = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
  return { name, value };
};

const minorOf = (image: string): number => Number(/:v?\d+\.(\d+)\./.exec(image)?.[1] ?? Number.NaN);

/** What the containers of static Pods print that exit at once. */
export const staticPodFailures = (manifests: Readonly<Record<string, StaticPod>>, host: Host): string[] =>
  Object.entries(manifests).flatMap(([name, { image, command, mounts = [] }]) => {
    const component = name as Component;
    const args = command.slice(1).map(argOf);
    const minor = minorOf(image);
    // Of its flags a program reports the first that it does not take, and reads files after that.
    const [fault] = [...faultsOf(component, args, minor), ...judgeFiles(component, args, minor, mounts, host)];
    return fault ? [`${component}: ${component === 'etcd' ? '' : 'Error: '}${fault.output}`] : [];
  });

export const hostOf = ({ files: all, commands, record }: Machine, certificatesDir = defaultCertificatesDir): Host => {
  const files = [...all].map(
    ([path, content]): HostFile => ({ path, content, ...(record.written?.[path] === content && { isFinal: true }) }),
  );
  return { files, commands: withScripts(commands, files), certificatesDir };
};

/** What kubeadm checks of the host before it does anything. */
export const runPreflight = (machine: Machine, run: KubeadmRun, { minor }: KubernetesVersion): void => {
  const { instance, restore } = machine.record;
  const { files, commands } = hostOf(machine);
  const faults = judgeHost(
    run,
    {
      processors: instance.vcpus,
      memoryMiB: instance.memoryMiB,
      isPublished: isPublished(instance),
      paths: [...files.map(({ path }) => path), ...(restore && run.dataDir ? [`${run.dataDir}/member`] : [])],
      mounts: machine.mounts,
      fileSystems: machine.fileSystems,
      commands,
    },
    minor,
  );
  if (faults.length > 0) throw new ConfigError(preflightOutput(faults));
};

/** Waits as long as kubeadm does, then throws its error. Goes on after a restart of the process. */
const waitInVain = async (machine: Machine, printed: string[], error: string, timeout: number): Promise<never> => {
  const { command } = machine;
  if (command.givesUp === undefined) {
    machine.print(...printed);
    command.givesUp = machine.now() + machine.scaled(timeout);
    machine.save();
  }
  await machine.until(command.givesUp);
  throw new ComponentError(error);
};

export const startKubelet = async (
  machine: Machine,
  args: Readonly<Record<string, string>>,
  kubelet: KubernetesVersion,
): Promise<void> => {
  const failure = kubeletFailure(args, kubelet);
  if (failure === undefined) return;
  // Older ones try a few times, with longer and longer pauses.
  const timeout = kubelet.minor >= 30 ? delays.componentHealthCheck : delays.olderKubeletCheck;
  const error = 'error execution phase kubelet-start: failed while waiting for the kubelet to start: it is not healthy';
  await waitInVain(machine, [failure], error, timeout);
};

/**
 * Up to v1.32 a real kubeadm does not wait for the controller manager and the scheduler, and leaves a
 * cluster without them.
 */
export const startStaticPods = async (
  machine: Machine,
  manifests: Readonly<Record<string, StaticPod>>,
  certificatesDir: string,
): Promise<void> => {
  const failures = staticPodFailures(manifests, hostOf(machine, certificatesDir));
  if (failures.length === 0) return;
  const error = `error execution phase wait-control-plane: failed while waiting for the control plane to start: ${failures.map((text) => text.split(':', 1)[0]).join(', ')} did not become healthy: connect: connection refused`;
  await waitInVain(machine, failures, error, delays.componentHealthCheck);
};
