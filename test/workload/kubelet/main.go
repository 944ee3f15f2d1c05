// A kubelet that only forwards ports, with the streaming server that kubelets and container runtimes are built from.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubelet/pkg/cri/streaming/portforward"
)

// targets names a file with the address behind each port of each pod: {"etcd-a": {"2379": "127.0.0.1:34567"}}.
// It is read again with each connection.
type targets string

func (file targets) PortForward(_ context.Context, pod string, _ types.UID, port int32, stream io.ReadWriteCloser) error {
	text, err := os.ReadFile(string(file))
	if err != nil {
		return err
	}
	var addresses map[string]map[string]string
	if err := json.Unmarshal(text, &addresses); err != nil {
		return err
	}
	connection, err := net.DialTimeout("tcp", addresses[pod][fmt.Sprint(port)], 5*time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(connection, stream)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(stream, connection)
		ended <- err
	}()
	return <-ended
}

func main() {
	address := flag.String("address", "127.0.0.1:0", "")
	certificate := flag.String("tls-cert-file", "", "")
	key := flag.String("tls-private-key-file", "", "")
	authority := flag.String("client-ca-file", "", "")
	file := flag.String("targets", "", "")
	flag.Parse()

	pem, err := os.ReadFile(*authority)
	if err != nil {
		log.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(pem)

	http.HandleFunc("/portForward/", func(w http.ResponseWriter, r *http.Request) {
		// /portForward/<namespace>/<pod>
		parts := strings.Split(r.URL.Path, "/")
		if len(parts) != 4 {
			http.NotFound(w, r)
			return
		}
		options, err := portforward.NewV4Options(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		portforward.ServePortForward(w, r, targets(*file), parts[3], "", options, 4*time.Hour, 30*time.Second, portforward.SupportedProtocols)
	})
	server := &http.Server{
		TLSConfig: &tls.Config{ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert},
		// SPDY and WebSocket take over a connection, which HTTP/2 does not allow.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().String())
	log.Fatal(server.ServeTLS(listener, *certificate, *key))
}
