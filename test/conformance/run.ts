/**
 * Runs tests of other projects against a running API server and prints one line for each:
 *
 *   node test/conformance/run.ts kubernetes|definitions KUBECONFIG [REGEX]
 *
 * The first run builds them from the Go module proxy, which takes minutes.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { go, kubernetesModule } from '../go.ts';

const version = 'v1.36.3';
const cache = join(import.meta.dirname, '../../.build/conformance');
const source = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const binary = 'suite.test';

/** Kubernetes' end-to-end tests. */
const kubernetes = (): string => {
  const directory = join(cache, 'kubernetes');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'kubernetes_test.go'), source('kubernetes_test.go'));
  if (!existsSync(join(directory, 'go.sum'))) {
    writeFileSync(join(directory, 'go.mod'), 'module capstan.dev/conformance\n');
    writeFileSync(join(directory, 'go.mod'), kubernetesModule(directory, 'capstan.dev/conformance', version));
    go(directory, 'mod', 'tidy');
  }
  if (!existsSync(join(directory, binary))) go(directory, 'test', '-vet=off', '-c', '-o', binary, '.');
  return directory;
};

/** The tests of CustomResourceDefinitions, with a client of a running server in place of servers of their own. */
const definitions = (): string => {
  const directory = join(cache, 'definitions');
  if (!existsSync(directory)) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'go.mod'), 'module capstan.dev/conformance\n');
    const module = `k8s.io/apiextensions-apiserver@${version.replace('v1.', 'v0.')}`;
    const { Dir } = JSON.parse(go(cache, 'mod', 'download', '-json', module)) as { Dir: string };
    cpSync(Dir, directory, { recursive: true });
    spawnSync('chmod', ['-R', 'u+w', directory]);
  }
  const tests = join(directory, 'test/integration');
  writeFileSync(join(tests, 'fixtures/server.go'), source('server.go'));
  if (!existsSync(join(tests, binary))) go(tests, 'test', '-vet=off', '-c', '-o', binary, '.');
  return tests;
};

interface Spec {
  ContainerHierarchyTexts: string[] | null;
  LeafNodeType: string;
  LeafNodeText: string;
  State: string;
}

const runKubernetes = (kubeconfig: string, focus: string): void => {
  const directory = kubernetes();
  const report = join(directory, 'report.json');
  const flags = [
    `-ginkgo.focus=${focus}`,
    // Its goroutines end the whole run where there are no PodTemplates.
    '-ginkgo.skip=API chunking',
    `-ginkgo.json-report=${report}`,
    '-test.timeout=3h',
    '-ginkgo.timeout=3h',
    '--provider=skeleton',
    `--kubeconfig=${kubeconfig}`,
    '--allowed-not-ready-nodes=-1',
    '--minStartupPods=0',
    '--delete-namespace=false',
    '--e2e-verify-service-account=false',
    '--dump-logs-on-failure=false',
  ];
  rmSync(report, { force: true });
  spawnSync(join(directory, binary), flags, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  const [suite] = JSON.parse(readFileSync(report, 'utf8')) as [{ SpecReports: Spec[] }];
  const ran = suite.SpecReports.filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State !== 'skipped');
  if (ran.length === 0) throw new Error(`no test matches ${focus}`);
  for (const { ContainerHierarchyTexts, LeafNodeText, State } of ran)
    console.log(`${State}\t${[...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ')}`);
};

/** Each test in a process of its own, because some end the process when they fail. */
const runDefinitions = (kubeconfig: string, focus: string): void => {
  const directory = definitions();
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const run = (...flags: string[]) =>
    spawnSync(join(directory, binary), flags, { cwd: directory, env, encoding: 'utf8', timeout: 120_000 });
  const tests = run('-test.list', focus)
    .stdout.split('\n')
    .filter((name) => name.startsWith('Test'));
  if (tests.length === 0) throw new Error(`no test matches ${focus}`);
  for (const test of tests) {
    const { status, stdout } = run('-test.v', '-test.run', `^${test}$`);
    const outcome = stdout.includes(`--- SKIP: ${test} `) ? 'skipped' : status === 0 ? 'passed' : 'failed';
    console.log(`${outcome}\t${test}`);
  }
};

const [suite, config, focus] = process.argv.slice(2);
if (config === undefined) throw new Error('usage: run.ts kubernetes|definitions KUBECONFIG [REGEX]');
if (suite === 'kubernetes') runKubernetes(resolve(config), focus ?? '\\[Conformance\\]');
else if (suite === 'definitions') runDefinitions(resolve(config), focus ?? '.');
else throw new Error(`unknown suite ${suite}`);
