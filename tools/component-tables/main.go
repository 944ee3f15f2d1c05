// Writes the tables of what each minor release of Kubernetes' and etcd's programs takes: flags,
// feature gates, admission plugins and API versions. It reads the released sources, which the Go
// module proxy serves, and compiles nothing: a release takes a second.
//
//	go run . VERSION… > tables.json    such as v1.36.3; etcd's begin with etcd-, such as etcd-v3.6.6
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// A table maps the names that one release knows to what is known of each: the type of a flag, the
// value that a gate is locked to, or nothing.
type table map[string]string

// Tables of one release, by what they are about.
type release map[string]table

func main() {
	kubernetes, etcd := map[int]release{}, map[int]release{}
	versions := map[string][]string{}
	for _, argument := range os.Args[1:] {
		if version, ok := strings.CutPrefix(argument, "etcd-"); ok {
			etcd[minorOf(version)] = etcdRelease(version)
			versions["etcd"] = append(versions["etcd"], version)
			continue
		}
		kubernetes[minorOf(argument)] = kubernetesRelease(argument)
		versions["kubernetes"] = append(versions["kubernetes"], argument)
	}
	output := map[string]any{"versions": versions}
	for name, spans := range merged(kubernetes) {
		output[name] = spans
	}
	for name, spans := range merged(etcd) {
		output[name] = spans
	}
	text, err := json.MarshalIndent(output, "", "  ")
	check(err)
	fmt.Println(string(text))
}

func minorOf(version string) int {
	minor, err := strconv.Atoi(strings.Split(version, ".")[1])
	check(err)
	return minor
}

// The names by what is known of them and since when: {"bool 26-32": ["deprecated-flag"]}. A name whose
// type changed is in several lists.
func merged(releases map[int]release) map[string]map[string][]string {
	minors := []int{}
	for minor := range releases {
		minors = append(minors, minor)
	}
	sort.Ints(minors)
	names := map[string]map[string]bool{}
	for _, minor := range minors {
		for about, table := range releases[minor] {
			if names[about] == nil {
				names[about] = map[string]bool{}
			}
			for name := range table {
				names[about][name] = true
			}
		}
	}
	output := map[string]map[string][]string{}
	for about := range names {
		output[about] = map[string][]string{}
		for name := range names[about] {
			spans := spansOf(minors, func(minor int) (string, bool) {
				known, ok := releases[minor][about][name]
				return known, ok
			})
			for _, span := range spans {
				output[about][span] = append(output[about][span], name)
			}
		}
		for _, listed := range output[about] {
			sort.Strings(listed)
		}
	}
	return output
}

func spansOf(minors []int, known func(int) (string, bool)) []string {
	spans := []string{}
	for at := 0; at < len(minors); at++ {
		value, ok := known(minors[at])
		if !ok {
			continue
		}
		last := at
		for last+1 < len(minors) {
			if next, ok := known(minors[last+1]); !ok || next != value {
				break
			}
			last++
		}
		spans = append(spans, strings.TrimSpace(fmt.Sprintf("%s %d-%d", value, minors[at], minors[last])))
		at = last
	}
	return spans
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
