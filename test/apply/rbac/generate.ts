/** Random policies, and questions about them, from a seed. */
import type { Binding, PolicyRule, Role, Subject } from '../../../machinery/api/rbac.ts';
import { rbacGroup } from '../../../machinery/api/rbac.ts';
import { Random } from '../generate.ts';
import type { Case, Question } from './upstream.ts';

const apiVersion = `${rbacGroup}/v1`;
const users = ['ann', 'bob', 'system:serviceaccount:n:s', 'system:serviceaccount::s', 'system:anonymous', '"q"'];
const groups = ['system:authenticated', 'team', 'system:serviceaccounts', 'ann', 'constructor'];
const namespaces = ['n', 'm', 'toString'];
const names = ['a', 'b', 'constructor'];
const bindingNames = ['b', 'c', 'd', 'e', 'f', 'g'];
const roleNames = ['r', 's', 't', '__proto__'];
const verbs = ['get', 'list', 'create', 'escalate', '*'];
const apiGroups = ['', 'apps', 'cluster.x-k8s.io', '*'];
const resources = ['pods', 'pods/log', '*/log', '*/scale', 'clusters', 'clusters/scale/x', '*/scale/x', '*', 'pods/*'];
const paths = ['/', '/api', '/api/*', '/healthz', '/heal*', '*', '/x**', ''];
const labels = ['aggregate-to-a', 'aggregate-to-b'];

class Generator {
  readonly #random: Random;
  constructor(seed: number) {
    this.#random = new Random(seed);
  }
  #some<T>(of: readonly T[], most: number, least = 0): T[] {
    return Array.from({ length: least + this.#random.below(most - least + 1) }, () => this.#random.pick(of));
  }
  rule(): PolicyRule {
    const isPath = this.#random.chance(0.2);
    const isMixed = this.#random.chance(0.05);
    return {
      verbs: this.#some(verbs, 3, 1),
      ...((!isPath || isMixed) && {
        apiGroups: this.#some(apiGroups, 2, 1),
        resources: this.#some(resources, 3, 1),
        ...(this.#random.chance(0.3) && { resourceNames: this.#some(names, 3) }),
      }),
      ...((isPath || isMixed) && { nonResourceURLs: this.#some(paths, 2, 1) }),
    };
  }
  rules(most: number): PolicyRule[] {
    return Array.from({ length: this.#random.below(most + 1) }, () => this.rule());
  }
  role(name: string, namespace?: string): Role {
    const selected = this.#some(labels, 2, 1).map((label) => ({ matchLabels: { [label]: 'true' } }));
    return {
      apiVersion,
      kind: namespace ? 'Role' : 'ClusterRole',
      metadata: {
        name,
        ...(namespace && { namespace }),
        labels: Object.fromEntries(this.#some(labels, 2).map((label) => [label, 'true'])),
      },
      rules: this.rules(4),
      ...(!namespace && this.#random.chance(0.3) && { aggregationRule: { clusterRoleSelectors: selected } }),
    };
  }
  subject(): Subject {
    const kind = this.#random.pick(['User', 'Group', 'ServiceAccount', 'Robot']);
    const own = { User: users, Group: groups }[kind] ?? ['s', 'a'];
    return {
      kind,
      name: this.#random.pick(own),
      ...(this.#random.chance(0.4) && { namespace: this.#random.pick(namespaces) }),
    };
  }
  binding(name: string, namespace?: string): Binding {
    const kind = this.#random.chance(0.02) ? 'Group' : this.#random.pick(['Role', 'ClusterRole']);
    return {
      apiVersion,
      kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
      metadata: { name, ...(namespace && { namespace }) },
      subjects: Array.from({ length: this.#random.below(4) }, () => this.subject()),
      roleRef: { apiGroup: rbacGroup, kind, name: this.#random.pick([...roleNames, 'absent']) },
    };
  }
  question(): Question {
    const isPath = this.#random.chance(0.2);
    const [resource = '', subresource] = this.#random.pick(resources).split(/\/(.*)/);
    return {
      user: this.#random.pick(users),
      groups: this.#some(groups, 3),
      verb: this.#random.pick(verbs),
      isPath,
      ...(isPath
        ? { path: this.#random.pick([...paths, '/apis', '/x', '/x*y']) }
        : {
            group: this.#random.pick(apiGroups),
            resource,
            ...(subresource && { subresource }),
            ...(this.#random.chance(0.5) && { name: this.#random.pick(names) }),
          }),
      ...(!isPath && this.#random.chance(0.7) && { namespace: this.#random.pick(namespaces) }),
      rules: this.rules(2),
    };
  }
  case(): Case {
    const inNamespaces = (of: readonly string[]) =>
      namespaces.flatMap((namespace) =>
        of.filter(() => this.#random.chance(0.5)).map((name) => [name, namespace] as const),
      );
    return {
      clusterRoles: roleNames.map((name) => this.role(name)),
      roles: inNamespaces(roleNames).map(([name, namespace]) => this.role(name, namespace)),
      clusterRoleBindings: bindingNames.map((name) => this.binding(name)),
      roleBindings: inNamespaces(bindingNames).map(([name, namespace]) => this.binding(name, namespace)),
      questions: Array.from({ length: 20 }, () => this.question()),
    };
  }
}

export const generated = (seed: number): Case => new Generator(seed).case();
