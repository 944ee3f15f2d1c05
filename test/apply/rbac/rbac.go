// Answers with Kubernetes' own RBAC: one policy with questions a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
	"sort"

	"k8s.io/apimachinery/pkg/api/equality"
)

type question struct {
	User        string              `json:"user"`
	Groups      []string            `json:"groups"`
	Verb        string              `json:"verb"`
	Group       string              `json:"group"`
	Resource    string              `json:"resource"`
	Subresource string              `json:"subresource"`
	Namespace   string              `json:"namespace"`
	Name        string              `json:"name"`
	Path        string              `json:"path"`
	IsPath      bool                `json:"isPath"`
	Rules       []rbacv1.PolicyRule `json:"rules"`
}

type policy struct {
	Roles               []*rbacv1.Role               `json:"roles"`
	ClusterRoles        []*rbacv1.ClusterRole        `json:"clusterRoles"`
	RoleBindings        []*rbacv1.RoleBinding        `json:"roleBindings"`
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding `json:"clusterRoleBindings"`
	Questions           []question                   `json:"questions"`
}

type answer struct {
	Allowed    bool                `json:"allowed"`
	Reason     string              `json:"reason"`
	Held       []rbacv1.PolicyRule `json:"held"`
	Escalation string              `json:"escalation"`
}

type result struct {
	Answers    []answer                       `json:"answers"`
	Aggregated map[string][]rbacv1.PolicyRule `json:"aggregated"`
}

// As ClusterRoleAggregationController computes them, whose function also writes them.
func aggregated(roles []*rbacv1.ClusterRole) map[string][]rbacv1.PolicyRule {
	all := map[string][]rbacv1.PolicyRule{}
	for _, role := range roles {
		if role.AggregationRule == nil {
			continue
		}
		rules := []rbacv1.PolicyRule{}
		for i := range role.AggregationRule.ClusterRoleSelectors {
			selector, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
			if err != nil {
				panic(err)
			}
			selected := []*rbacv1.ClusterRole{}
			for _, other := range roles {
				if selector.Matches(labels.Set(other.Labels)) && other.Name != role.Name {
					selected = append(selected, other)
				}
			}
			sort.Slice(selected, func(a, b int) bool { return selected[a].Name < selected[b].Name })
			for _, other := range selected {
				for _, rule := range other.Rules {
					known := false
					for _, one := range rules {
						known = known || equality.Semantic.DeepEqual(one, rule)
					}
					if !known {
						rules = append(rules, rule)
					}
				}
			}
		}
		all[role.Name] = rules
	}
	return all
}

func (of policy) GetRole(_ context.Context, namespace, name string) (*rbacv1.Role, error) {
	for _, role := range of.Roles {
		if role.Namespace == namespace && role.Name == name {
			return role, nil
		}
	}
	return nil, errors.NewNotFound(rbacv1.Resource("role"), name)
}

func (of policy) GetClusterRole(_ context.Context, name string) (*rbacv1.ClusterRole, error) {
	for _, role := range of.ClusterRoles {
		if role.Name == name {
			return role, nil
		}
	}
	return nil, errors.NewNotFound(rbacv1.Resource("clusterrole"), name)
}

func (of policy) ListRoleBindings(_ context.Context, namespace string) ([]*rbacv1.RoleBinding, error) {
	found := []*rbacv1.RoleBinding{}
	for _, binding := range of.RoleBindings {
		if binding.Namespace == namespace {
			found = append(found, binding)
		}
	}
	return found, nil
}

func (of policy) ListClusterRoleBindings(_ context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	return of.ClusterRoleBindings, nil
}

func answersOf(of policy) result {
	resolver := validation.NewDefaultRuleResolver(of, of, of, of)
	rights := rbac.New(of, of, of, of)
	answers := []answer{}
	for _, q := range of.Questions {
		who := &user.DefaultInfo{Name: q.User, Groups: q.Groups}
		attributes := authorizer.AttributesRecord{
			User: who, Verb: q.Verb, APIGroup: q.Group, Resource: q.Resource, Subresource: q.Subresource,
			Namespace: q.Namespace, Name: q.Name, Path: q.Path, ResourceRequest: !q.IsPath,
		}
		decision, reason, _ := rights.Authorize(context.TODO(), attributes)
		held, _ := resolver.RulesFor(context.TODO(), who, q.Namespace)
		in := request.WithNamespace(request.WithUser(context.TODO(), who), q.Namespace)
		escalation := ""
		if err := validation.ConfirmNoEscalation(in, resolver, q.Rules); err != nil {
			escalation = err.Error()
		}
		answers = append(answers, answer{decision == authorizer.DecisionAllow, reason, held, escalation})
	}
	return result{answers, aggregated(of.ClusterRoles)}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<28)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		of := policy{}
		if err := json.Unmarshal(lines.Bytes(), &of); err != nil {
			panic(err)
		}
		if err := out.Encode(answersOf(of)); err != nil {
			panic(err)
		}
	}
}
