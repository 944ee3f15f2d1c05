/** Everything that is rendered for a machine, validated by the programs that read it there. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { metadata, cases as templates } from '../../kinds/components/jinja/cases.fixture.ts';
import { fieldCases } from '../../kinds/components/kubeadm/cases.fixture.ts';
import { pointerTo, secretPrefix, splitForSecrets } from '../../kinds/infrastructure-aws/aws-machine/user-data.ts';
import { specs } from './configs.ts';
import {
  checkCloudConfig,
  consumeOnInstance,
  kubeadmOf,
  prepareCloudInit,
  renderAll,
  renderOnInstance,
} from './programs.ts';
import { render, roles } from './render.ts';

const directory = mkdtempSync(join(tmpdir(), 'capstan-documents-'));
afterAll(() => rmSync(directory, { recursive: true }));

interface Written {
  write_files: { path: string; content: string }[];
}

/** The kubeadm file of a machine, with its referenced files in the place that this kubeadm expects. */
const kubeadmFile = (userData: string): string => {
  const onInstance = userData.replaceAll('{{ ds.meta_data.local_hostname }}', 'ip-10-0-0-1.ec2.internal');
  const { write_files: files } = parse(onInstance, { version: '1.1' }) as Written;
  const discovery = files.find(({ path }) => path === '/run/kubeadm/discovery.yaml');
  const here = join(directory, 'discovery.yaml');
  if (discovery) writeFileSync(here, discovery.content);
  const document = files.find(({ path }) => path.startsWith('/run/kubeadm/kubeadm'))!.content;
  return document.replaceAll('/run/kubeadm/discovery.yaml', here);
};

const versions = ['v1.30.4', 'v1.35.0'];
const cases = Object.keys(specs).flatMap((name) => roles.map((role) => ({ name, role })));
// One version requires a feature gate that another does not know: the oldest lacks the newest gate.
const specFor = (name: string, version: string) => {
  const spec = specs[name]!;
  if (version !== 'v1.30.4' || !spec.clusterConfiguration?.featureGates) return spec;
  return {
    ...spec,
    clusterConfiguration: { ...spec.clusterConfiguration, featureGates: { RootlessControlPlane: false } },
  };
};

describe.each(versions)('kubeadm %s', (version) => {
  let kubeadm = '';
  beforeAll(() => {
    kubeadm = kubeadmOf(version);
  });
  const validate = (content: string): string => {
    const file = join(directory, 'kubeadm.yaml');
    writeFileSync(file, content);
    try {
      return execFileSync(kubeadm, ['config', 'validate', '--config', file], { encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return String((error as { stderr?: string }).stderr);
    }
  };

  it.each(cases)('accepts the $role document of $name', ({ name, role }) => {
    expect(validate(kubeadmFile(render(role, specFor(name, version), version)))).toBe('ok\n');
  });

  it.runIf(version === 'v1.35.0')('refuses the fields that the judgement of fields refuses', () => {
    const verdict = (kind: string, fields: object): boolean => {
      const document = stringify({ apiVersion: 'kubeadm.k8s.io/v1beta4', kind, ...fields });
      return validate(document) === 'ok\n';
    };
    for (const { kind, takes, refuses } of fieldCases)
      for (const [isTaken, list] of [
        [true, takes],
        [false, refuses],
      ] as const)
        for (const fields of list) expect([fields, verdict(kind, fields)]).toEqual([fields, isTaken]);
  });

  it('rejects a document with an unknown field', () => {
    const document = kubeadmFile(render('worker join', {}, version));
    expect(validate(`${document}nonsense: true\n`)).toMatch(/unknown field "nonsense"/);
  });
});

describe('cloud-init', () => {
  beforeAll(prepareCloudInit);
  const check = (document: string): string => {
    const file = join(directory, 'user-data.yaml');
    writeFileSync(file, document);
    return checkCloudConfig(file);
  };

  it.each(cases)('accepts the user data of $name ($role)', ({ name, role }) => {
    const userData = render(role, specs[name]!, 'v1.35.0');
    expect(userData.startsWith('## template: jinja\n#cloud-config\n')).toBe(true);
    const rendered = renderOnInstance(userData, { local_hostname: 'ip-10-0-0-1.ec2.internal' });
    expect(rendered).not.toContain('{{');
    expect(check(rendered.replace('## template: jinja\n', ''))).toMatch(/^Valid cloud-config/);
  });

  it.each(['secrets-manager', 'ssm-parameter-store'] as const)('reads what an instance fetches from %s', (backend) => {
    const userData = render('worker join', {}, 'v1.35.0');
    const { prefix, chunks } = splitForSecrets(secretPrefix('token', backend), Buffer.from(userData));
    const root = mkdtempSync(join(directory, 'instance-'));
    for (const [index, chunk] of chunks.entries()) writeFileSync(join(root, `value-${index}`), chunk);
    const aws = `#!/bin/bash\ncase "$2" in get-*) for argument in "$@"; do case "$argument" in *-[0-9]) cat "${root}/value-\${argument##*-}";; esac; done;; esac\n`;
    const pointer = pointerTo('eu-west-1', { prefix, chunks: chunks.length });
    const here = pointer.replaceAll('/etc/secret-userdata.txt', join(root, 'secret-userdata.txt'));
    expect(consumeOnInstance(here, root, aws)).toContain('kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml');
  });

  it('renders templates as the judgement of templates does', () => {
    const outputs = renderAll(
      templates.map(([template]) => template),
      metadata,
    );
    expect(templates.map(([template], i) => [template, outputs[i] ?? undefined])).toEqual(templates);
  });

  it('rejects commands that are not a list', () => {
    expect(check('#cloud-config\nruncmd: 7\n')).toContain("runcmd: 7 is not of type 'array'");
  });
});
