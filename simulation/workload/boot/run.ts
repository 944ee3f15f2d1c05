/**
 * cloud-init on one machine: reads the user data, writes files and runs commands, and continues
 * after a restart.
 */

import { instanceDataOf } from '../../../kinds/components/jinja/instance-data.ts';
import type { Mapping } from '../../../kinds/components/jinja/value.ts';
import { delays } from '../delays.ts';
import { nodeadmInit } from '../eks/nodeadm.ts';
import { CertificateError } from '../kubeadm/certificates.ts';
import { readCommand } from '../kubeadm/command.ts';
import { ComponentError } from '../kubeadm/components.ts';
import { JoinError } from '../kubeadm/discovery.ts';
import { ConfigError } from '../kubeadm/documents.ts';
import { type KubeadmWorld, kubeadmInit } from '../kubeadm/init.ts';
import { kubeadmJoin } from '../kubeadm/join.ts';
import { isPublished, versionOfImage } from '../kubeadm/version.ts';
import type { Machine } from '../machine.ts';
import {
  type CloudConfig,
  commandsOf,
  fileSystemsOf,
  hideMounted,
  merged,
  mountsOf,
  parseCloudConfig,
  writeFiles,
} from './cloud-config.ts';
import { restoreEtcd } from './restore-etcd.ts';
import { commandOf, parseCommands, type SimpleCommand, textOf } from './shell.ts';
import { readUserData } from './user-data.ts';

const instanceData = ({ record, hostname }: Machine): Mapping => {
  const { imageName, ...instance } = record.instance;
  return instanceDataOf({ ...instance, imageId: imageName, hostname });
};

/** Reads the user data once; deletes its secrets only when the documents are saved. */
const readDocuments = (machine: Machine): string[] => {
  const { record, services } = machine;
  const { instanceId, region, userData, launchIndex } = record.instance;
  if (!record.documents) {
    const read = (name: string) => services.readSecret(instanceId, name);
    const found = readUserData(userData, { region, launchIndex, read });
    for (const fault of found.faults) machine.print(`cloud-init: ${fault}`);
    record.documents = found.documents;
    if (found.nodeConfigs.length > 0) record.nodeConfigs = found.nodeConfigs;
    record.secrets = found.secrets;
    machine.save();
  }
  for (const name of record.secrets ?? []) services.deleteSecret(instanceId, name);
  delete record.secrets;
  machine.save();
  return record.documents;
};

/** The commands of a document, each with its dependency on the previous one; expands `sh -c`. */
const flatten = (line: string, depth = 0): SimpleCommand[] =>
  parseCommands(line).flatMap((command) => {
    const [program = '', flag = '', script = ''] = commandOf(command.argv);
    const isShell = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da)?sh$/.test(program) && /^-\w*c$/.test(flag);
    return isShell && depth < 4 ? flatten(script, depth + 1) : [command];
  });

const kubeadm = async (machine: Machine, argv: string[], world: KubeadmWorld): Promise<number> => {
  const command = readCommand(argv);
  if ('ignored' in command) return 0;
  const version = versionOfImage(machine.record.instance.imageName);
  if (!version) {
    machine.print('sh: kubeadm: command not found');
    return 127;
  }
  const fail = (message: string, status = 1): number => {
    machine.print(message, 'To see the stack trace of this error execute with --v=5 or higher');
    return status;
  };
  if ('refused' in command) return fail(command.refused);
  const source = machine.files.get(command.configPath);
  if (source === undefined)
    return fail(
      `unable to read config from "${command.configPath}": open ${command.configPath}: no such file or directory`,
    );
  // The command ended just before the process did.
  if (machine.command.status !== undefined) return machine.command.status;
  if (machine.record.kubelet)
    return fail(
      '[preflight] Some fatal errors occurred:\n\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists',
    );
  try {
    await (command.verb === 'init' ? kubeadmInit : kubeadmJoin)(machine, source, version, world);
    return 0;
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, 3);
    if (error instanceof ComponentError) return fail(error.message);
    if (error instanceof CertificateError || error instanceof JoinError) return fail(`error: ${error.message}`);
    throw error;
  }
};

const writeFile = ({ record, files }: Machine, { path, append }: Target, text: string): number => {
  const content = append ? (files.get(path) ?? '') + text : text;
  record.written = { ...record.written, [path]: content };
  files.set(path, content);
  return 0;
};
type Target = NonNullable<SimpleCommand['redirect']>;

const execute = async (
  machine: Machine,
  { argv: all, redirect, input }: SimpleCommand,
  world: KubeadmWorld,
): Promise<number> => {
  const argv = commandOf(all);
  const [program = '', ...args] = argv;
  switch (program.split('/').at(-1)) {
    case 'kubeadm':
      return kubeadm(machine, argv, world);
    case 'echo':
    case 'printf': {
      if (redirect) return writeFile(machine, redirect, textOf(args));
      machine.print(textOf(args).trimEnd());
      return 0;
    }
    case 'cat':
      return redirect && args.length === 0 && input?.content !== undefined
        ? writeFile(machine, redirect, input.content)
        : 0;
    case 'tee': {
      const path = args.find((word) => !word.startsWith('-'));
      return path !== undefined && input?.content !== undefined
        ? writeFile(machine, { path, append: args.includes('-a') }, input.content)
        : 0;
    }
    case 'sh':
    case 'bash':
      return (await restoreEtcd(machine, machine.files.get(args[0] ?? '') ?? '')) ?? 0;
    case 'hostnamectl':
    case 'hostname': {
      const name = args
        .filter((word) => !word.startsWith('-') && word !== 'set-hostname' && word !== 'hostname')
        .at(-1);
      if (name) machine.hostname = machine.record.hostname = name;
      return 0;
    }
    case 'false':
      return 1;
    default:
      return 0;
  }
};

/** Programs whose status is that of the real ones. */
const known = /^(?:true|false|:|echo|printf|kubeadm|sh|bash)$/;

/** `exit` ends the script, which consists of all commands of a document, where it certainly runs. */
const exitStatus = ({ argv, after, isNested }: SimpleCommand, before: SimpleCommand | undefined) => {
  const [program, status = '0'] = commandOf(argv);
  const decides = commandOf(before?.argv ?? [])[0]
    ?.split('/')
    .at(-1);
  const isCertain = !isNested && (after === 'always' || known.test(decides ?? ''));
  return program === 'exit' && isCertain ? Number(status) : undefined;
};

/** Runs one script from where it was left: `from` is the number of its first command. */
const runScript = async (machine: Machine, lines: string[], from: number, world: KubeadmWorld): Promise<number> => {
  const { record } = machine;
  let step = from;
  let before: SimpleCommand | undefined;
  for (const line of lines) {
    let commands: SimpleCommand[];
    try {
      commands = flatten(line);
    } catch (error) {
      machine.print(`sh: ${error instanceof Error ? error.message : String(error)}`);
      record.lastStatus = 2;
      return step;
    }
    for (const command of commands) {
      if (step++ < record.step) {
        before = command;
        continue;
      }
      const last = record.lastStatus ?? 0;
      const skipped = (command.after === 'success' && last !== 0) || (command.after === 'failure' && last === 0);
      const exit = skipped ? undefined : exitStatus(command, before);
      before = command;
      if (exit !== undefined) {
        record.lastStatus = exit;
        return step;
      }
      if (!skipped) {
        record.command ??= { startedAt: machine.now() };
        machine.command = record.command;
        record.lastStatus = await execute(machine, command, world);
      }
      record.step = step;
      delete record.command;
      machine.save();
    }
  }
  return step;
};

/** The documents that cloud-init takes, as one; undefined without any. */
const configOf = (machine: Machine, isFirst: boolean): { config: CloudConfig; isWhole: boolean } => {
  const documents = readDocuments(machine);
  const isNodeadm = machine.record.nodeConfigs !== undefined;
  if (isFirst && documents.length === 0 && !isNodeadm) machine.print('cloud-init: no cloud-config in the user data');
  const configs = documents.flatMap((document): CloudConfig[] => {
    try {
      return [parseCloudConfig(document, instanceData(machine))];
    } catch (error) {
      if (machine.record.step === 0)
        machine.print(`cloud-init: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
  return {
    config: merged(configs),
    isWhole: (documents.length > 0 || isNodeadm) && configs.length === documents.length,
  };
};

const startNode = async (machine: Machine, { clusters }: KubeadmWorld): Promise<void> => {
  const { nodeConfigs } = machine.record;
  if (nodeConfigs) await nodeadmInit(machine, nodeConfigs, clusters);
};

/** Runs the remaining commands. Rejects with Halted when the machine goes down. */
export const bootMachine = async (machine: Machine, world: KubeadmWorld): Promise<void> => {
  const { record } = machine;
  if (record.finishedAt !== undefined) return startNode(machine, world);
  await machine.until(record.bootedAt + machine.scaled(delays.cloudInit));
  const isFirst = record.documents === undefined;
  if (isFirst) machine.print("Cloud-init v. 25.2 running 'init'");
  const { config, isWhole } = configOf(machine, isFirst);
  let well = isWhole;
  /** A module that fails is logged, and the later ones run. */
  const fail = (module: string, why: string) => {
    well = false;
    if (record.step === 0) machine.print(`cloud-init: Running module ${module} failed: ${why}`);
  };
  const commands = (key: 'bootcmd' | 'runcmd'): string[] => {
    try {
      return commandsOf(config, key);
    } catch (error) {
      fail(key, error instanceof Error ? error.message : String(error));
      return [];
    }
  };
  const files = (deferred: boolean) => {
    const { warnings, fault } = writeFiles(config, machine.files, deferred, isPublished(record.instance));
    if (record.step === 0) for (const warning of warnings) machine.print(`cloud-init: ${warning}`);
    if (fault !== undefined) fail(deferred ? 'write_files_deferred' : 'write_files', fault);
  };
  const [bootLines, lines] = [commands('bootcmd'), commands('runcmd')];
  machine.commands = [...bootLines, ...lines];
  machine.mounts = mountsOf(config);
  machine.fileSystems = fileSystemsOf(config);
  const next = await runScript(machine, bootLines, 0, world);
  files(false);
  hideMounted(config, machine.files);
  files(true);
  for (const [path, content] of Object.entries(record.written ?? {})) machine.files.set(path, content);
  if (record.step <= next) record.lastStatus = 0;
  await runScript(machine, lines, next, world);
  well = record.lastStatus === 0 && well;
  record.finishedAt = machine.now();
  const seconds = ((record.finishedAt - record.bootedAt) / 1000).toFixed(2);
  if (!well)
    machine.print('cloud-init: Failed to run module scripts_user (scripts in /var/lib/cloud/instance/scripts)');
  machine.print(`Cloud-init v. 25.2 finished. Datasource DataSourceEc2Local. Up ${seconds} seconds`);
  machine.save();
  // Its service starts after cloud-init.
  await startNode(machine, world);
};
