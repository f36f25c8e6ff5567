//! A headless Chromium that is driven over its DevTools protocol, on loopback.
//!
//! The program is `chromium` on the PATH, or the path in `DENIABLE_CHROMIUM`.

use deniable_testing::skipped;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// Longest wait for any action of a page.
const PATIENCE: Duration = Duration::from_secs(120);

/// The path of Chromium, if it is installed.
fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("DENIABLE_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|file| file.is_file())
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    calls: u64,
    /// The addresses that the page requested.
    pub requests: Vec<String>,
    /// Errors and warnings of the page.
    pub complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Opens a browser; `None`, with a message, if there is none. `DENIABLE_BROWSER=required` makes that a failure.
    pub fn open() -> Option<Self> {
        let Some(program) = program() else {
            let required = std::env::var_os("DENIABLE_BROWSER").is_some_and(|value| value == "required");
            assert!(!required, "no chromium on the PATH, and DENIABLE_BROWSER=required");
            skipped("there is no chromium on the PATH", "install Debian's package, or set DENIABLE_CHROMIUM");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--remote-debugging-port=0", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .take(200)
            .find_map(|line| line.unwrap().strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("Chromium says where it listens");
        // Read, so that the browser's output does not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(&address, stream).unwrap();
        let mut browser = Self {
            child,
            socket,
            session: String::new(),
            calls: 0,
            requests: Vec::new(),
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol, and records the page's events meanwhile.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let answer = self.socket.read().unwrap();
            let Ok(text) = answer.to_text() else { continue };
            let answer: Value = serde_json::from_str(text).unwrap();
            if answer["id"] == self.calls {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => self.requests.push(text(&event["params"]["request"]["url"])),
            Some("Log.entryAdded") => self.complaints.push(text(&event["params"]["entry"]["text"])),
            Some("Runtime.exceptionThrown") => self.complaints.push(event["params"].to_string()),
            _ => {}
        }
    }

    /// Opens an address, and waits until the page is loaded.
    pub fn go(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        self.until("document.readyState === 'complete'");
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// The text value of an expression.
    #[track_caller]
    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn until(&mut self, expression: &str) {
        let begin = Instant::now();
        while self.eval(expression) != true {
            assert!(begin.elapsed() < PATIENCE, "never: {expression}; {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            other => panic!("{other} has no code here"),
        };
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                params["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Sets the width and the colour scheme of the page.
    pub fn look(&mut self, width: u32, scheme: &str) {
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        self.call("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": "screen", "features": features }));
    }

    /// A screenshot of the whole page, for people to look at: a PNG, or else a WebP at three fifths of the size.
    pub fn shoot(&mut self, path: &Path) {
        let (width, height) = (self.eval("innerWidth"), self.eval("document.documentElement.scrollHeight"));
        let (format, scale) =
            if path.extension().is_some_and(|end| end == "webp") { ("webp", 0.6) } else { ("png", 1.0) };
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": scale });
        let shot = json!({ "format": format, "captureBeyondViewport": true, "clip": clip });
        let shot = self.call("Page.captureScreenshot", shot);
        std::fs::write(path, decoded(shot["data"].as_str().unwrap())).unwrap();
    }

    /// The page as PDF, A4 unless the page says otherwise.
    pub fn print(&mut self) -> Vec<u8> {
        self.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        let printed = self.call("Page.printToPDF", json!({ "paperWidth": 8.27, "paperHeight": 11.69 }));
        decoded(printed["data"].as_str().unwrap())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Decodes base 64.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().fold(0_u32, |bits, byte| bits << 6 | u32::from(digit(*byte))) << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}
